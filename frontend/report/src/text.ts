// Words and figures. What a site wrote is hostile: nothing of it may steer the page or mislead its reader.

// Marks that turn the direction of text around, and others that nobody sees. The joiners stay:
// emoji and Persian need them.
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}|[\ud800-\udfff]/gu;

/** Text as it may be shown: what could not be seen is written as its code. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (char) =>
    char === "\n" || char === "\t" ? " " : `\\u{${char.codePointAt(0)!.toString(16)}}`,
  );
}

/** The address as a link may have it; null when it is none of http and https. */
export function linkTarget(url: string | null): string | null {
  if (!url || !/^https?:\/\//i.test(url)) return null;
  // As the browser would request it: what cannot be seen is encoded, a foreign host is in ASCII.
  return URL.canParse(url) ? new URL(url).href : null;
}

const numbers = new Intl.NumberFormat("en");
const shortNumbers = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export const count = (value: number): string => numbers.format(value);
export const shortCount = (value: number): string => shortNumbers.format(value);

export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function percent(part: number, whole: number): string {
  if (!whole || !part) return "0 %";
  const value = (100 * part) / whole;
  return value < 0.1 ? "< 0.1 %" : `${value.toFixed(value < 10 && value % 1 ? 1 : 0)} %`;
}

export function byteSize(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit ? value.toFixed(1) : count(value)} ${units[unit]}`;
}

export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 60) return `${seconds < 10 ? Number(seconds.toFixed(2)) : Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Scans keep UTC, and a report reads the same everywhere: no local time. */
export function moment(iso: string | null): string {
  if (!iso) return "–";
  const date = new Date(/[zZ]|[+-]\d\d:?\d\d$/.test(iso) ? iso : `${iso}Z`);
  if (Number.isNaN(date.getTime())) return iso;
  const day = date.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  return `${day}, ${date.toISOString().slice(11, 16)} UTC`;
}

/** "blocked_by_robots" -> "blocked by robots". */
export const words = (name: string): string => name.replaceAll("_", " ");

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export function shortened(text: string, length: number): string {
  const characters = [...text];
  return characters.length > length ? `${characters.slice(0, length - 1).join("")}…` : text;
}

/** The part of an address after its host; a report is mostly about one host. */
export function pathOf(url: string): string {
  const match = /^https?:\/\/[^/?#]*(.*)$/is.exec(url);
  return match ? match[1] || "/" : url;
}

const languageNames = new Intl.DisplayNames("en", { type: "language", fallback: "code" });

export function languageName(code: string | null): string {
  if (!code) return "not known";
  try {
    return languageNames.of(code) ?? code;
  } catch {
    return code; // a site may name any language it likes
  }
}

const SITE_NAME = /\s+[|·–—:-]\s+([^|·–—]{2,60})$/;

/** Titles as they differ: most sites end each with their own name. */
export function withoutSiteName(titles: string[]): (title: string) => string {
  const endings = new Map<string, number>();
  for (const title of titles) {
    const ending = SITE_NAME.exec(title.slice(-80))?.[0]; // a long row of blanks must cost nothing
    if (ending) endings.set(ending, (endings.get(ending) ?? 0) + 1);
  }
  const common = [...endings].filter(([, number]) => number > titles.length / 10).map(([ending]) => ending);
  return (title) => {
    const ending = common.find((each) => title.endsWith(each));
    return ending ? title.slice(0, -ending.length) : title;
  };
}
