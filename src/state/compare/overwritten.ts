import { types } from "node:util";
import type { Facts } from "../canonical/facts.ts";
import { modeIn, type TablePlans } from "../canonical/columns.ts";
import type { Strings } from "../values/strings.ts";
import { Generated, JsonText, Mixed } from "../values/named.ts";
import { childRules, type PathRules, type Rules } from "../values/rules.ts";
import { identityOf, RENEWED, type Sessions } from "./sessions.ts";

/** The generated texts of a state, by place. A place consists of the key of a row or object, and the path inside the row or object. */
export type GeneratedTexts = ReadonlyMap<string, string>;

/** Names of the fields that identify an object in a store without tables. */
const IDS: readonly string[] = ["id", "_id", "uuid"];

/** Reads the generated texts of stores. Fields that are ignored or masked, and rows without a primary key, are left out. */
export function generatedTexts(
  systems: Facts["systems"],
  sessions: Sessions,
  { plans, rules, strings }: { readonly plans: TablePlans; readonly rules: Rules; readonly strings: Pick<Strings, "pieces"> },
): GeneratedTexts {
  const texts = new Map<string, string>();
  for (const [name, observed] of Object.entries(systems)) {
    if (observed.kind === "value") {
      add(observed.value, [name], childRules(rules.systems, name), texts);
      continue;
    }
    for (const table of observed.tables) {
      const { modes, columns } = plans.of(name, table);
      const keys = columns.flatMap(({ key }, index) => (key === true ? [index] : []));
      if (keys.length === 0) continue;
      const renewedOf = sessions.rowsOf(table);
      for (const row of table.added) {
        if (renewedOf(row) === "all") continue;
        const id = keys.map((index) => identityOf(row[index])).join();
        for (const [index, cell] of row.entries()) {
          const { kind } = modeIn(modes[index]!, row, columns, (text) => strings.pieces(text));
          if (kind !== "ignore" && kind !== "mask") add(cell, [name, table.name, `(${id})`, columns[index]!.name], undefined, texts);
        }
      }
    }
  }
  return texts;
}

/**
 * Returns `true` if a generated text, such as a password hash or an API key, was replaced in a row or object that both states have. Replacing a
 * reference to a deleted row by a reference to a new row does not count.
 */
export function overwritesTexts(before: GeneratedTexts, after: GeneratedTexts): boolean {
  const [gone, made] = [valuesOnlyIn(before, after), valuesOnlyIn(after, before)];
  return [...before].some(([place, old]) => {
    const text = after.get(place);
    return text !== undefined && text !== old && !(gone.has(old) && made.has(text));
  });
}

/** Returns the texts at places that only the first state has. */
function valuesOnlyIn(texts: GeneratedTexts, others: GeneratedTexts): ReadonlySet<string> {
  return new Set([...texts].flatMap(([place, text]) => (others.has(place) ? [] : [text])));
}

function add(value: unknown, place: readonly string[], rules: PathRules | undefined, texts: Map<string, string>): void {
  if (typeof value !== "object" || value === null || rules?.rule !== undefined) return;
  if (value instanceof Generated) {
    // Leave out integers of counters: they are no secrets, and even a refused request may increment a counter.
    const isText = value.origin !== undefined && !value.key.startsWith(`${value.origin.domain}:`);
    if (isText && !RENEWED.test(place.filter((part) => !part.startsWith("(")).join(" "))) texts.set(place.join("\n"), value.key);
  } else if (value instanceof Mixed) {
    for (const [index, part] of value.parts.entries()) add(part, [...place, String(index)], undefined, texts);
  } else if (value instanceof JsonText) add(value.value, place, rules, texts);
  else if (types.isMap(value)) {
    for (const [key, item] of value) {
      const name = typeof key === "string" ? key : `(${identityOf(key)})`;
      add(item, [...place, name], rules && childRules(rules, name), texts);
    }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const id = idIn(item);
      add(item, [...place, id === undefined ? String(index) : "[]"], rules && childRules(rules, "[]"), texts);
    }
  } else if (!ArrayBuffer.isView(value) && !types.isSet(value)) {
    const id = idIn(value);
    for (const [name, item] of Object.entries(value))
      add(item, [...place, ...(id === undefined ? [] : [`(${id})`]), name], rules && childRules(rules, name), texts);
  }
}

function idIn(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const name = IDS.find((one) => Object.hasOwn(value, one));
  return name === undefined ? undefined : identityOf((value as Readonly<Record<string, unknown>>)[name]);
}
