export interface Visitor {
  /** Called for each number. `before` is the text before a number that is part of a text. @returns the replacement; `undefined` to keep the number */
  number(place: string, name: string, token: string, before?: string): string | undefined;
  /**
   * Called for each text and each key of an object. @returns the replacement for the whole text; `undefined` to continue with the numbers in the text
   */
  text(place: string, text: string): string | undefined;
  /** Called for each other value that is no list and no object. */
  other(place: string, value: unknown): void;
  length(place: string, count: number): void;
  /** Returns `true` to leave out the value at this place, together with its key. */
  drops(place: string): boolean;
}

/**
 * Matches the parts of a text that may be values. The order matters: ids and times come before single numbers, so that their digits are not treated
 * as numbers.
 */
const RUNS =
  /[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|\d{4}-\d\d-\d\d(?:[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?)?|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]+ GMT|[A-Za-z0-9]{24,}|\d+\.\d+|\d{1,19}/g;
const WHOLE = /^\d{1,19}$/;
const NUMBER = /^\d+(?:\.\d+)?$/;
const UUID = /^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/;
const DEEPEST = 100;

/**
 * Returns a copy of plain data in which the visitor has replaced texts, numbers and keys. A text that contains JSON is parsed and handled as data. If
 * nothing in the JSON is replaced, the text is not changed.
 *
 * @param place The place of the value. Places below it are `place.key`, `place[]` for entries of lists, `place{}` for keys of an object, and
 * `place#0` for the first number inside text.
 * @param name The nearest key or column above the value.
 */
export function mapLeaves(value: unknown, place: string, name: string, visitor: Visitor, depth = 0): unknown {
  if (visitor.drops(place)) return value === null || value === undefined ? value : "~";
  switch (typeof value) {
    case "number":
    case "bigint":
      return visitor.number(place, name, String(value)) ?? value;
    case "string":
      return mapText(value, place, name, visitor, depth);
    case "object":
      break;
    default:
      visitor.other(place, value);
      return value;
  }
  if (value === null || depth > DEEPEST) {
    visitor.other(place, value);
    return value;
  }
  if (Array.isArray(value)) {
    visitor.length(`${place}[#]`, value.length);
    return value.map((item) => mapLeaves(item, `${place}[]`, name, visitor, depth + 1));
  }
  if (value instanceof Map) return new Map(mapEntries([...value], place, name, visitor, depth));
  if (value instanceof Set) return new Set([...value].map((item) => mapLeaves(item, `${place}[]`, name, visitor, depth + 1)));
  if ([Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null)) {
    return Object.fromEntries(mapEntries(Object.entries(value), place, name, visitor, depth));
  }
  visitor.other(place, value);
  return value;
}

function mapEntries(
  entries: readonly (readonly [unknown, unknown])[],
  place: string,
  name: string,
  visitor: Visitor,
  depth: number,
): [string, unknown][] {
  return entries.flatMap(([key, item]): [string, unknown][] => {
    const text = String(key);
    const child = childPlace(place, text, visitor);
    if (visitor.drops(child.place)) return [];
    return [[child.key, mapLeaves(item, child.place, WHOLE.test(text) ? name : text, visitor, depth + 1)]];
  });
}

/** Returns the key of an object after replacement, and the place of its value. All keys that are ids share one place. */
function childPlace(place: string, key: string, visitor: Visitor): { readonly key: string; readonly place: string } {
  const keys = `${place}{}`;
  const replaced = visitor.text(keys, key);
  if (replaced !== undefined || UUID.test(key)) return { key: replaced ?? key, place: `${place}.*` };
  let isNumbered = false;
  const written = mapRuns(key, keys, "", visitor, () => (isNumbered = true));
  return { key: written, place: isNumbered ? `${place}.${key.replaceAll(/\d+/g, "#")}` : `${place}.${key}` };
}

function mapText(text: string, place: string, name: string, visitor: Visitor, depth: number): string {
  if (WHOLE.test(text)) return visitor.number(place, name, text) ?? text;
  if (/^\s*[[{]/.test(text)) {
    const read = json(text);
    if (typeof read === "object" && read !== null) {
      const mapped = mapLeaves(read, place, name, visitor, depth + 1);
      return JSON.stringify(mapped) === JSON.stringify(read) ? text : sortedJson(mapped);
    }
  }
  return visitor.text(place, text) ?? mapRuns(text, place, "", visitor);
}

function mapRuns(text: string, place: string, name: string, visitor: Visitor, met?: () => void): string {
  let count = 0;
  return text.replaceAll(RUNS, (run, at: number) => {
    if (!NUMBER.test(run)) return run;
    met?.();
    // Put the replacement in angle brackets, which separate it from adjacent letters.
    const own = `${place}#${count++}`;
    if (visitor.drops(own)) return "~";
    const replaced = visitor.number(own, name, run, text.slice(0, at));
    return replaced === undefined ? run : `<${replaced}>`;
  });
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns JSON with sorted keys. All UUIDs count as equal when the keys are sorted, because their values are random. */
function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const blank = (key: string): string => key.replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, "@");
  const entries = Object.entries(value).toSorted(([a], [b]) => (blank(a) < blank(b) ? -1 : blank(a) > blank(b) ? 1 : 0));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${sortedJson(item)}`).join(",")}}`;
}

/** Returns the text with `#` in place of each number. */
export const templateOf = (text: string): string => text.replaceAll(RUNS, (run) => (NUMBER.test(run) ? "#" : run));
