import type { StateText } from "./state-text.ts";

/**
 * Names the ids of a state by their places in its canonical form: `r1`, `r2` for ids that are renamed in full, `t1`, `t2` for ids that carry time.
 */
export function idNames({ free, ranked }: StateText): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [list, mark] of [
    [free, "r"],
    [ranked, "t"],
  ] as const) {
    for (let i = 0; i < list.length; i++) if (list[i]!.key !== null) names.set(list[i]!.key!, `${mark}${i + 1}`);
  }
  return names;
}
