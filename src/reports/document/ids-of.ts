import type { Violation } from "../../model/results/result.ts";

/** Returns all ids of a finding: one for each action that shows it. */
export function idsOf({ id, operations }: Pick<Violation, "id" | "operations">): readonly string[] {
  return operations === undefined ? [id] : operations.map((one) => one.id);
}
