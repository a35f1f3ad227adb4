import { element, escaped } from "../../src/reports/junit/xml.ts";
import type { StrategyName } from "../support/agent-of.ts";
import type { Quartiles } from "../support/quartiles.ts";
import { STRATEGIES } from "./run-bed.ts";
import type { BedSummary, StrategySummary } from "./summary.ts";

/** Colours that people with colour blindness can distinguish, too (Okabe and Ito). */
const COLOURS: Readonly<Partial<Record<StrategyName, string>>> = {
  bfs: "#0072b2",
  dfs: "#d55e00",
  random: "#009e73",
  coverage_guided: "#cc79a7",
};

interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly of: (summary: StrategySummary) => Quartiles;
}

const PANELS: readonly Panel[] = [
  { title: "to the first finding", unit: "steps", of: ({ first }) => first.steps },
  { title: "to all findings", unit: "steps", of: ({ all }) => all.steps },
  { title: "to the first finding", unit: "ms", of: ({ first }) => first.ms },
  { title: "to all findings", unit: "ms", of: ({ all }) => all.ms },
];

const LEFT = 200;
const PANEL = 260;
const GAP = 46;
const TOP = 110;
/** The height of one strategy's line. The next constant is the gap between two fixtures. */
const LINE = 11;
const BETWEEN = 12;
/** The lowest power of ten on a scale. Smaller values are drawn at this place. */
const SHORTEST = -2;
const WIDTH = LEFT + PANELS.length * (PANEL + GAP);

/**
 * Returns an SVG with a panel for each figure. Boxes reach from quartile to quartile with a line at the median, and whiskers reach to both ends. The
 * scale is logarithmic.
 */
export function plot(beds: readonly BedSummary[], subtitle: string): string {
  const height = TOP + beds.length * (STRATEGIES.length * LINE + BETWEEN) + 20;
  const parts = [
    element("title", {}, "Steps and time to planted bugs, by strategy"),
    element("rect", { width: WIDTH, height, fill: "#ffffff" }),
    text(20, 28, "Steps and time to the planted bugs of the fixtures, by strategy", { "font-size": 18, "font-weight": "bold" }),
    text(20, 48, `Box: quartiles, line: median, whiskers: all seeds, arrow: not found within the steps of the run. ${subtitle}.`),
    ...legend(),
    ...beds.map((bed, row) => text(LEFT - 14, yOf(row) + 2 * LINE + 4, bed.bed.name, { "text-anchor": "end" })),
    ...PANELS.flatMap((panel, column) => drawn(panel, LEFT + column * (PANEL + GAP), beds, height)),
  ];
  const attributes = {
    xmlns: "http://www.w3.org/2000/svg",
    width: WIDTH,
    height,
    viewBox: `0 0 ${WIDTH} ${height}`,
    role: "img",
    "font-family": "sans-serif",
    "font-size": 12,
  };
  return `${element("svg", attributes, `\n${parts.join("\n")}\n`)}\n`;
}

const yOf = (row: number): number => TOP + row * (STRATEGIES.length * LINE + BETWEEN) + BETWEEN / 2;

function legend(): readonly string[] {
  return STRATEGIES.flatMap((strategy, index) => [
    element("rect", { x: LEFT + index * 150, y: 62, width: 14, height: 10, fill: COLOURS[strategy] ?? "black" }),
    text(LEFT + 20 + index * 150, 71, strategy),
  ]);
}

/** Returns a panel with its scale. All fixtures share the scale, so that the rows can be compared. */
function drawn(panel: Panel, left: number, beds: readonly BedSummary[], height: number): readonly string[] {
  const values = beds.flatMap(({ summary }) => summary.flatMap((one) => Object.values(panel.of(one)) as (number | null)[]));
  const known = values.filter((value) => value !== null && value > 0) as readonly number[];
  const low = Math.max(SHORTEST, Math.floor(Math.log10(Math.min(1, ...known))));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(1, ...known))));
  const x = (value: number): number => left + ((Math.log10(Math.max(value, 10 ** low)) - low) / (high - low)) * PANEL;
  const powers = Array.from({ length: high - low + 1 }, (_, index) => low + index);
  return [
    text(left + PANEL / 2, TOP - 18, `${panel.unit} ${panel.title}`, { "text-anchor": "middle", "font-weight": "bold" }),
    ...powers.flatMap((power) => [
      element("line", { x1: at(x(10 ** power)), x2: at(x(10 ** power)), y1: TOP, y2: height - 20, stroke: "#dddddd" }),
      text(x(10 ** power), TOP - 4, label(power), { "text-anchor": "middle", "font-size": 10, fill: "#555555" }),
    ]),
    ...beds.flatMap(({ bed, summary }, row) =>
      summary.map((one, line) => box(panel.of(one), x, left + PANEL, yOf(row) + line * LINE, one.strategy, `${bed.name}, ${one.strategy}`)),
    ),
  ];
}

/** Returns the box of one strategy. A value that is missing (`null`) is drawn beyond the end of the panel. */
function box(
  { min, q1, median, q3, max }: Quartiles,
  x: (value: number) => number,
  end: number,
  y: number,
  strategy: StrategyName,
  name: string,
): string {
  const place = (value: number | null): number => (value === null ? end : x(value));
  const colour = COLOURS[strategy] ?? "black";
  const middle = y + LINE / 2;
  const from = place(q1);
  // A box without width would be invisible.
  const width = Math.max(3, place(q3) - from);
  const parts = [
    element("title", {}, escaped(`${name}: ${shown(q1)}, ${shown(median)}, ${shown(q3)}`)),
    element("line", { x1: at(place(min)), x2: at(place(max)), y1: at(middle), y2: at(middle), stroke: colour }),
    element("rect", { x: at(from - (width === 3 ? 1.5 : 0)), y: at(y + 1), width: at(width), height: LINE - 3, fill: colour }),
    ...(median === null || width === 3
      ? []
      : [element("line", { x1: at(x(median)), x2: at(x(median)), y1: at(y), y2: at(y + LINE - 1), stroke: "#000000", "stroke-width": 2 })]),
    ...(max === null ? [element("path", { d: `M ${at(end)} ${at(middle - 4)} l 6 4 l -6 4 z`, fill: colour, "data-missed": "true" })] : []),
  ];
  return element("g", { class: "box" }, parts.join(""));
}

const at = (place: number): number => Math.round(place * 10) / 10;
const shown = (value: number | null): string => (value === null ? "not found" : value.toPrecision(3));
const label = (power: number): string => (power >= 0 ? (10 ** power).toLocaleString("en") : String(10 ** power));

function text(x: number, y: number, content: string, more: Readonly<Record<string, string | number>> = {}): string {
  return element("text", { x: at(x), y: at(y), ...more }, escaped(content));
}
