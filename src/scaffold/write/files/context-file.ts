import type { PlannedKey } from "../../infer/plan.ts";
import { propertyName } from "../code/text.ts";
import { insertItem } from "../merge/insert.ts";
import type { ScaffoldFile } from "./scaffold-file.ts";

/** The maximum number of items of one kind that the generated actions create. Two are enough to find errors between items. */
const MOST = 2;
const TYPES = { string: "string", number: "number", unknown: "string | number" } as const;
const INTERFACE = "export interface Keys";

export function contextFile(keys: readonly PlannedKey[], counters: readonly string[], added: readonly string[]): ScaffoldFile {
  const lines = new Map([
    ...keys.map(({ key, type }) => [key, `${propertyName(key)}: ${TYPES[type]}`] as const),
    ...counters.map((key) => [key, `${propertyName(key)}: number`] as const),
  ]);
  const counts = new Set(counters);
  const own = keys.filter(({ key }) => !counts.has(key)).map(({ key }) => `  ${lines.get(key)!};`);
  const counted = counters.map((key) => `  ${lines.get(key)!};`);
  const members = [...own, ...(counted.length === 0 ? [] : ["  /** The numbers of items that were created. */", ...counted])];
  return {
    path: "context.ts",
    isImported: true,
    text: `/** The values of the context. They belong to the state, and are restored with it. */
${members.length === 0 ? `${INTERFACE} {}` : `${INTERFACE} {\n${members.join("\n")}\n}`}

/** The largest number of items that are created of each kind. Without this limit, the number of states would be infinite. */
export const MOST_OF_A_KIND = ${MOST};
`,
    extend: (edited) => {
      let done = edited;
      const left: string[] = [];
      for (const key of added) {
        const line = lines.get(key);
        if (line === undefined || new RegExp(`^\\s*["']?${key}["']?\\??\\s*:`, "m").test(done)) continue;
        const with_ = insertItem(done, INTERFACE, "{}", line);
        if (with_ === undefined) left.push(`Declare the key ${key} in context.ts, because seqqa found no interface Keys in this file`);
        else done = with_;
      }
      return { text: done, left };
    },
  };
}
