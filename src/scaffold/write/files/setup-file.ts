import type { GivenKey } from "../../infer/plan.ts";
import { callOf } from "../code/field.ts";
import { commentText, propertyName } from "../code/text.ts";
import { insertItem } from "../merge/insert.ts";
import type { ScaffoldFile } from "./scaffold-file.ts";

const GIVEN = "export const given";

/**
 * Returns the generated `setup.ts`, in which the user sets context keys that no action provides.
 * @param added The keys that are new since the folder was last written.
 * @param reachable The number of actions that can be called without these keys.
 * @param all The number of actions.
 */
export function setupFile(
  keys: readonly GivenKey[],
  added: readonly string[],
  { reachable, all }: { readonly reachable: number; readonly all: number },
): ScaffoldFile {
  return {
    path: "setup.ts",
    isImported: true,
    text: `import type { Context } from "seqqa";
import type { Keys } from "./context.ts";

type Given = { readonly [K in keyof Keys]?: Keys[K] | undefined };

/**
 * Ids that exist in your API, but that no call returns without needing them. ${reachable} of ${all} actions can be called without these ids.
 * A key without a value is not set: the actions that need it do not apply, and the run names them. Other keys may be added.
 */
${GIVEN}: Given = {
${keys.map((one) => `  ${itemOf(one).replaceAll("\n", "\n  ")},\n`).join("")}};

/** The keys that have values. They belong to no user of the exploration. */
export const givenKeys = (Object.keys(given) as (keyof Keys)[]).filter((key) => given[key] !== undefined);

/** Sets the keys that have values, in the root state. */
export function setKeys(context: Context<Keys>): void {
  for (const key of givenKeys) context.set(key, given[key]!);
}
`,
    extend: (edited) => {
      let done = edited;
      const left: string[] = [];
      for (const one of keys.filter(({ key }) => added.includes(key))) {
        if (new RegExp(`^\\s*["']?${one.key}["']?\\s*:`, "m").test(done)) continue;
        const longer = insertItem(done, GIVEN, "{,}", itemOf(one));
        if (longer === undefined)
          left.push(`Add a value for the key ${one.key} to setup.ts, because seqqa found no object "${GIVEN}" in this file`);
        else done = longer;
      }
      return { text: done, left };
    },
  };
}

/** Returns the lines of `setup.ts` for a context key: a comment that says how many actions the key makes callable, and the key. */
function itemOf({ key, unlocks, reached, example }: GivenKey): string {
  const of = example === undefined ? "" : ` Needed by ${commentText(callOf(example), 90)}.`;
  const more =
    unlocks === 0
      ? "Needed together with the next key."
      : `With it, ${unlocks} more ${unlocks === 1 ? "action" : "actions"} can be called, ${reached} in all.`;
  return `// ${more}${of}\n${propertyName(key)}: undefined`;
}
