import { inspect, isDeepStrictEqual } from "node:util";
import { contextPartOf, type Context } from "../model/context/context.ts";
import type { StoresView } from "../model/declare/rule.ts";

/** A value that an action set in the context, and the value that it replaced. */
export interface Written {
  readonly before: unknown;
  readonly value: unknown;
}

/** Returns a context that passes each call to the given context, and adds each value that is set to the list `written`. */
export function recorded(context: Context, written: Written[]): Context {
  const record = (name: string, value: unknown): void => {
    written.push({ before: contextPartOf(context as never).entries.get(name), value });
  };
  return new Proxy(context, {
    get: (target, key): unknown => {
      if (key !== "set") return Reflect.get(target, key);
      return (name: string, value: unknown): void => {
        record(name, value);
        target.set(name, value);
      };
    },
    set: (target, key, value): boolean => {
      record(String(key), value);
      return Reflect.set(target, key, value);
    },
  });
}

/**
 * Returns `new` if a value without any of the codes replaced a code in the context, or was added to a list that contains a code. In this case, a code
 * that was written to another key is only a copy of the earlier code. Returns `same` if the codes were written and nothing replaced them, and
 * `undefined` otherwise.
 */
export function contextGives(written: readonly Written[], codes: readonly string[]): "new" | "same" | undefined {
  const hasCode = (value: unknown): boolean => hasAny(inspected(value), codes);
  const added = written.map(({ before, value }) => ({ before, value: addedTo(before, value) }));
  if (added.some(({ before, value }) => hasCode(before) && !hasCode(value))) return "new";
  return added.some(({ value }) => hasCode(value)) ? "same" : undefined;
}

/**
 * Returns `true` if a row that contains one of the codes was added or changed. If the column had the code before the change, the row does not count
 * if a row with another value in this column was added: the added row then has the new code.
 */
export function rowsGive(before: StoresView | undefined, after: StoresView | undefined, codes: readonly string[]): boolean {
  return [...(after?.tables.keys() ?? [])].some((table) => {
    const [came, went] = [rowsOnlyIn(after, before, table), rowsOnlyIn(before, after, table)];
    return came.some((row) => {
      if (!hasAny(row, codes)) return false;
      const at = cellsOf(row).findIndex((cell) => hasAny(cell, codes));
      const wasThere = at >= 0 && went.some((other) => cellsOf(other)[at] === cellsOf(row)[at]);
      const isOther = (other: string): boolean => !hasAny(other, codes) && (cellsOf(other)[at] ?? "null") !== "null";
      return !wasThere || came.filter(isOther).length <= went.filter(isOther).length;
    });
  });
}

/** Returns `true` if a text contains one of the words, and the word is not part of a longer word. */
export function hasAny(text: string, words: readonly string[]): boolean {
  return words.some((word) => hasWord(text, word));
}

/** Returns the rows, calls or mails of a table that only the first view of the stores has, as text. */
export function rowsOnlyIn(view: StoresView | undefined, other: StoresView | undefined, table: string): readonly string[] {
  const rows = view?.tables.get(table) ?? new Map<string, number>();
  const others = other?.tables.get(table) ?? new Map<string, number>();
  // A row of the root state that was removed counts as minus one row.
  return [...new Set([...rows.keys(), ...others.keys()])].filter((row) => (rows.get(row) ?? 0) > (others.get(row) ?? 0));
}

function cellsOf(row: string): readonly string[] {
  try {
    const cells: unknown = JSON.parse(row);
    return Array.isArray(cells) ? cells.map((cell) => JSON.stringify(cell)) : [];
  } catch {
    return [];
  }
}

/** Returns the items of the list `value` that the list `before` does not have. If one of the two is not a list, returns `value`. */
function addedTo(before: unknown, value: unknown): unknown {
  if (!Array.isArray(before) || !Array.isArray(value)) return value;
  const left: unknown[] = [...before];
  return value.filter((item) => {
    const at = left.findIndex((other) => isDeepStrictEqual(other, item));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/**
 * Converts a value to a text that contains every text inside the value. JSON is not sufficient, because a context may also hold a Map or a BigInt.
 */
function inspected(value: unknown): string {
  return inspect([value], { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity, breakLength: Infinity });
}

function hasWord(text: string, word: string): boolean {
  const isPart = (at: number): boolean => /[\p{L}\p{N}]/u.test(text[at] ?? "");
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) if (!isPart(at - 1) && !isPart(at + word.length)) return true;
  return false;
}
