import type { RowKind } from "../../model/stores/field-of-kind.ts";
import type { ObservedColumn, StoredValue } from "../../model/stores/store-adapter.ts";
import type { Facts } from "./facts.ts";
import type { Piece } from "./pieces.ts";
import { withoutMarks } from "./same-names.ts";
import { Mixed } from "../values/named.ts";
import { readsLikeWord } from "../values/randomness.ts";

/**
 * The columns of each table that determine the kind of a row. All Redis hashes, for example, are in one table, and the columns `key` and `field`
 * determine the meaning of a row.
 */
export type RowKinds = ReadonlyMap<string, readonly string[]>;

/** Matches the names of ids and times in descriptions of states (`#1`, `<time>`), and numbers. */
const NAMES = /(?:root)?#t?\d*|<time>|\d+/g;
/** Matches UUIDs and hexadecimal numbers. Each match is replaced as a whole, because a group of letters inside would otherwise count as a word. */
const HEXADECIMAL = /(?<![A-Za-z0-9])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8,})(?![A-Za-z0-9])/gi;
/**
 * Matches texts that may be random bytes in base64 or base64url, including words such as `sess_` before them. Dashes and underscores in such bytes do
 * not separate words.
 */
const BASE64 = /(?<![\w+/=-])((?:[a-z]{3,}[_-])*)([\w+/=-]{16,})(?![\w+/=-])/g;
const VARIABLE = /[A-Za-z]*[\d*][A-Za-z0-9*]*/g;
/** Matches long words that consist of letters alone, which may be random. */
const LETTERS = /(?<![A-Za-z0-9])[A-Za-z]{8,}(?![A-Za-z0-9])/g;
const SHORTENED = /\.\.\. \(\d+ characters, [0-9a-f]+\)$/;

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

/** Returns the pattern of a key or field name: its ids, times and numbers are replaced by `*`. Names of one kind have the same pattern. */
export function patternOf(value: unknown, piecesOf: (text: string) => readonly Piece[] | null): string {
  if (value instanceof Mixed) return collapsed(value.parts.map((part) => (typeof part === "string" ? part : "*")).join(""));
  if (typeof value !== "string") return value === null ? "null" : "*";
  const pieces = piecesOf(value) ?? [{ kind: "text" as const, text: value }];
  const shown = pieces.map((piece) => (piece.kind === "text" ? piece.text : piece.kind === "mark" ? `{${piece.name}}` : "#")).join("");
  return collapsed(shown);
}

/** Returns the pattern of a key or field name as a description of a state shows it; `undefined` if the name is shown shortened. */
export function patternShown(cell: string): string | undefined {
  const text = cell.startsWith('"') ? (JSON.parse(cell) as string) : cell;
  return SHORTENED.test(text) ? undefined : collapsed(text);
}

function collapsed(text: string): string {
  // Descriptions of states replace the delimiters of placeholders in values. Also replace them here, so that equal values have equal patterns.
  const named = withoutMarks(text)
    .replaceAll(HEXADECIMAL, "*")
    .replaceAll(BASE64, (run: string, words: string, rest: string) => {
      // The letters before the first dash of an id may look like a prefix, but they hardly ever read like a word.
      if (!words.split(/[_-]/).every(readsLikeWord)) return isBase64(run) ? "*" : run;
      return isBase64(rest) ? `${words}*` : run;
    })
    .replaceAll(LETTERS, (word) => (isRandom(word) ? "*" : word));
  return named.replaceAll(NAMES, "*").replaceAll(VARIABLE, "*").replaceAll(/\*+/g, "*");
}

/**
 * Returns `true` if the letter case of a word looks random. Random letters change case at about every second character; camel case changes at each
 * word.
 */
function isRandom(word: string): boolean {
  let changes = 0;
  for (let i = 1; i < word.length; i++) if (/[a-z]/.test(word[i]!) !== /[a-z]/.test(word[i - 1]!)) changes++;
  return changes >= Math.max(3, word.length / 3);
}

/**
 * Returns `true` if a text looks like random bytes in base64. In such bytes, the kind of character (small letter, capital letter, digit) differs
 * between about 60 % of neighbouring characters. In words and numbers that are joined with dashes, it differs between fewer than 30 %.
 */
function isBase64(text: string): boolean {
  if (![/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(text))) return false;
  const kinds = text.replaceAll(/[a-z]/g, "a").replaceAll(/[A-Z]/g, "A").replaceAll(/\d/g, "0");
  const pairs = [...kinds].slice(1).map((kind, at) => kinds[at]! + kind);
  const joined = pairs.filter((pair) => /^[aA0]{2}$/.test(pair));
  return joined.filter(([a, b]) => a !== b).length >= 0.3 * joined.length;
}

/**
 * Returns `true` if the table has every column that a kind names, and all these columns determine the kind of a row. Otherwise, no row of the table
 * is of this kind.
 */
export function hasKinds(columns: readonly ObservedColumn[], kind: RowKind): boolean {
  return Object.keys(kind).every((name) => columns.some((column) => column.name === name && column.kind === true));
}

/** Returns `true` if a row is of the given kind. Only valid if {@link hasKinds} returns `true` for the table and the kind. */
export function isOfKind(
  row: readonly StoredValue[],
  columns: readonly ObservedColumn[],
  kind: RowKind,
  piecesOf: (text: string) => readonly Piece[] | null,
): boolean {
  return columns.every(({ name }, index) => !Object.hasOwn(kind, name) || kind[name] === patternOf(row[index], piecesOf));
}
