// Moments are sent in UTC; here they become those of the viewer's zone.
// As the pages are in English, so are their dates: 18 Nov 2026, 20:33.
const WHOLE = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const EXACT = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long" });
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

function relative(moment: Date): string {
  const seconds = (moment.getTime() - Date.now()) / 1_000;
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) {
      return RELATIVE.format(Math.round(seconds / length), unit);
    }
  }
  return seconds > 0 ? "in a moment" : "just now";
}

const FAR = 7 * 86_400_000;

export function localizeTimes(root: ParentNode): void {
  for (const element of root.querySelectorAll<HTMLTimeElement>("time[datetime]")) {
    const moment = new Date(element.dateTime);
    if (Number.isNaN(moment.getTime())) {
      continue;
    }
    element.title = EXACT.format(moment);
    const isFar = Math.abs(moment.getTime() - Date.now()) > FAR;
    element.textContent = element.hasAttribute("data-whole") || isFar ? WHOLE.format(moment) : relative(moment);
  }
}
