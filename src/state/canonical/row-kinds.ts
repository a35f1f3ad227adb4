import type { ObservedColumn, StoredValue } from "../../model/stores/store-adapter.ts";
import type { Facts } from "./facts.ts";
import type { Piece } from "./pieces.ts";
import { Mixed } from "../values/named.ts";

/** For each table, the columns whose values show of what kind a row is. */
export type RowKinds = ReadonlyMap<string, readonly string[]>;

/** A pattern for each column. The values of a masked row match them. */
export type RowKind = Readonly<Record<string, string>>;

/** Ids and times in the form that descriptions show, and numbers. */
const NAMES = /(?:root)?#t?\d*|<time>|\d+/g;
/** UUIDs, and hexadecimal numbers: a part of one may consist of letters alone. */
const HEXADECIMAL = /(?<![A-Za-z0-9])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8,})(?![A-Za-z0-9])/gi;
/** Words that contain digits. */
const VARIABLE = /[A-Za-z]*[\d*][A-Za-z0-9*]*/g;
/** Words of letters alone, which may be random. */
const LETTERS = /(?<![A-Za-z0-9])[A-Za-z]{8,}(?![A-Za-z0-9])/g;
const WHERE = /^(.*) where (\{.*\})$/s;
/** The end of a text that is shown shortened. */
const SHORTENED = /\.\.\. \(\d+ characters, [0-9a-f]+\)$/;

/** Returns the columns that show the kinds of the rows in these facts. */
export function rowKinds({ systems }: Facts): RowKinds {
  const kinds = new Map<string, readonly string[]>();
  for (const observed of Object.values(systems)) {
    if (observed.kind !== "rows") continue;
    for (const { name, columns } of observed.tables) {
      const of = columns.filter(({ kind }) => kind === true);
      if (of.length > 0)
        kinds.set(
          name,
          of.map((column) => column.name),
        );
    }
  }
  return kinds;
}

/** Returns a name as a pattern: parts that distinguish names of one kind (ids, times, numbers) are replaced by `*`. */
export function patternOf(value: unknown, piecesOf: (text: string) => readonly Piece[] | null): string {
  if (value instanceof Mixed) return collapsed(value.parts.map((part) => (typeof part === "string" ? part : "*")).join(""));
  if (typeof value !== "string") return value === null ? "null" : "*";
  const pieces = piecesOf(value) ?? [{ kind: "text" as const, text: value }];
  const shown = pieces.map((piece) => (piece.kind === "text" ? piece.text : piece.kind === "mark" ? `{${piece.name}}` : "#")).join("");
  return collapsed(shown);
}

/** Returns the pattern of a name in a description; `undefined` if the description does not show all of it. */
export function patternShown(cell: string): string | undefined {
  const text = cell.startsWith('"') ? (JSON.parse(cell) as string) : cell;
  return SHORTENED.test(text) ? undefined : collapsed(text);
}

function collapsed(text: string): string {
  const named = text.replaceAll(HEXADECIMAL, "*").replaceAll(LETTERS, (word) => (isRandom(word) ? "*" : word));
  return named.replaceAll(NAMES, "*").replaceAll(VARIABLE, "*").replaceAll(/\*+/g, "*");
}

/** Returns `true` for letters of random case. They change case at every second place; names in camel case change it at each word. */
function isRandom(word: string): boolean {
  let changes = 0;
  for (let i = 1; i < word.length; i++) if (/[a-z]/.test(word[i]!) !== /[a-z]/.test(word[i - 1]!)) changes++;
  return changes >= Math.max(3, word.length / 3);
}

/** Names a field of the rows of one kind: `hash.value where {"key":"order:*","field":"seen"}`. */
export function fieldOfKind(field: string, kind: RowKind): string {
  return `${field} where ${JSON.stringify(kind)}`;
}

/** Parses a field of one kind; `undefined` if it is the field of all rows. */
export function readFieldOfKind(text: string): { readonly field: string; readonly kind: RowKind } | undefined {
  const [, field, kind] = WHERE.exec(text) ?? [];
  if (field === undefined || kind === undefined) return undefined;
  try {
    return { field, kind: JSON.parse(kind) as RowKind };
  } catch {
    return undefined;
  }
}

/** Returns `true` if a row is of one of the kinds. */
export function isOfKind(
  row: readonly StoredValue[],
  columns: readonly ObservedColumn[],
  kinds: readonly RowKind[],
  piecesOf: (text: string) => readonly Piece[] | null,
): boolean {
  return kinds.some((kind) =>
    columns.every(({ name }, index) => !Object.hasOwn(kind, name) || kind[name] === patternOf(row[index], piecesOf)),
  );
}
