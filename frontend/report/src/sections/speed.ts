// How fast the pages answered and how heavy they are, of those that the scan has read.

import type { Overview, Percentiles } from "../data";
import { dataTable } from "../tables";
import { byteSize, counted } from "../text";
import { nothing, section } from "./section";

interface Figures {
  name: string;
  values: Percentiles;
  say: (value: number) => string;
}

const COLUMNS: [keyof Percentiles, string][] = [
  ["p50", "Half within"],
  ["p75", "75 %"],
  ["p90", "90 %"],
  ["p95", "95 %"],
  ["p99", "99 %"],
  ["max", "Most"],
];

const milliseconds = (value: number): string => (value < 1000 ? `${value} ms` : `${(value / 1000).toFixed(1)} s`);

export function speed({ speed, before }: Overview): HTMLElement {
  const rows: Figures[] = [];
  const add = (name: string, values: Percentiles | null | undefined, say: Figures["say"]): void => {
    if (values) rows.push({ name, values, say });
  };
  add("Time to the first byte", speed.elapsed_ms, milliseconds);
  add("… in the scan before", before?.speed.elapsed_ms, milliseconds);
  add("Weight of the HTML", speed.bytes, byteSize);
  add("… in the scan before", before?.speed.bytes, byteSize);
  return section(
    "speed",
    "Speed and weight",
    speed.pages
      ? `Of ${counted(speed.pages, "page")} that the scan has read. Half of them answered within the first figure, 95 of a hundred within the fourth.`
      : null,
    rows.length
      ? dataTable<Figures>({
          caption: "Percentiles of response times and page weight",
          rows,
          columns: [
            { label: "Figure", isWide: true, value: (row) => row.name },
            ...COLUMNS.map(([key, label]) => ({
              label,
              isNumber: true,
              value: (row: Figures) => row.values[key],
              cell: (row: Figures) => row.say(row.values[key]),
            })),
          ],
        })
      : nothing("No page was read, so nothing is known of their speed."),
  );
}
