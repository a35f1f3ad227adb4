/** One figure of a part. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Details of the measurement, or the value with which the figure is to be compared. */
  readonly note?: string | undefined;
}

/** A part of the benchmarks: `npm run bench -- <name>` runs it in a process of its own. */
export type Part = () => Promise<readonly Row[]>;

/** `true` for `npm run bench -- --full`, which uses the sizes of the published figures. Otherwise, smaller sizes are used for a quick try. */
export const full: boolean = process.env["SEQQA_BENCH"] === "full";

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
