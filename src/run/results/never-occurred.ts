import type { Explorer } from "../../engine/search/explorer.ts";
import { readFieldOfKind } from "../../model/stores/field-of-kind.ts";
import { nearest } from "../../model/text/nearest.ts";

/**
 * Notes are made only if the search is exhaustive or has at least this number of steps. In a shorter search, actions may not have set every context
 * key yet.
 */
const FEWEST_STEPS = 200;

type Explored = Pick<Explorer, "stopReason"> & {
  readonly committer: Pick<Explorer["committer"], "steps">;
  readonly occurred: Pick<Explorer["occurred"], "missing" | "names">;
};

/** Returns notes about patterns of the setting `ignore` that match nothing in any state. Such a pattern is probably misspelt. */
export function neverOccurredNotes({ stopReason, committer, occurred }: Explored): readonly string[] {
  const isWhole = stopReason === "exhausted" || stopReason === "max_depth";
  if (stopReason === "interrupted" || committer.steps < (isWhole ? 1 : FEWEST_STEPS)) return [];
  return occurred.missing.map((pattern) => {
    const near = meant(pattern, occurred.names);
    return `The pattern "${pattern}" of ignore had no effect, because it never occurred in ${whereOf(pattern)}.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
  });
}

function whereOf(pattern: string): string {
  if (readFieldOfKind(pattern) !== undefined) return "the rows that the run changed";
  if (pattern.startsWith("clients.")) return "the clients";
  return pattern.startsWith("systems.") ? "the systems" : "the context";
}

/** Returns the pattern with its context key replaced by the most similar existing key; `undefined` if no key is similar, or the key exists. */
function meant(pattern: string, names: ReadonlySet<string>): string | undefined {
  if (/^(?:clients|systems)\./.test(pattern) || readFieldOfKind(pattern) !== undefined) return undefined;
  const [, root = "", key = "", rest = ""] = /^(context\.)?([^.[]+)(.*)$/s.exec(pattern) ?? [];
  const near = nearest(key, names);
  if (near === key) return root === "" ? `context.${pattern}` : undefined;
  return near === undefined ? undefined : `${root === "" && rest !== "" ? "context." : root}${near}${rest}`;
}
