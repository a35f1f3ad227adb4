/**
 * Returns plain data as indented JSON. Lists of numbers or of short words are written on one line, because the lists of a graph have hundreds of
 * thousands of entries. Control characters are written as JSON escapes, because a terminal would interpret them.
 */
export function jsonText(value: unknown): string {
  return [...jsonPieces(value)].join("");
}

/** The approximate number of characters of a piece of text that is written at once. */
const PIECE = 1 << 16;
const NUMBERS = 4_096;
const LONGEST_LINE = 120;
const UNSAFE = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/**
 * Yields the JSON text of {@link jsonText} in pieces, because the whole text may be longer than a JavaScript string can be. No JSON string is split
 * between two pieces.
 */
export function* jsonPieces(value: unknown): Iterable<string> {
  let piece = "";
  for (const part of written(value, "")) {
    piece += part;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}\n`;
}

function* written(value: unknown, indent: string): Iterable<string> {
  if (Array.isArray(value)) yield* list(value, indent);
  else if (typeof value === "object" && value !== null) yield* record(value as Readonly<Record<string, unknown>>, indent);
  else yield primitive(value);
}

function primitive(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return typeof value === "string" ? text.replace(UNSAFE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`) : text;
}

function* list(items: readonly unknown[], indent: string): Iterable<string> {
  if (items.every((item) => typeof item === "number")) return yield* numbers(items);
  if (items.every((item) => typeof item !== "object" || item === null)) {
    const line = `[${items.map(primitive).join(", ")}]`;
    if (line.length + indent.length <= LONGEST_LINE) return yield line;
  }
  const inner = `${indent}  `;
  let before = "[\n";
  for (const item of items) {
    yield `${before}${inner}`;
    yield* written(item, inner);
    before = ",\n";
  }
  yield `\n${indent}]`;
}

function* numbers(items: readonly number[]): Iterable<string> {
  let before = "[";
  for (let at = 0; at < items.length; at += NUMBERS) {
    yield before + JSON.stringify(items.slice(at, at + NUMBERS)).slice(1, -1);
    before = ",";
  }
  yield items.length === 0 ? "[]" : "]";
}

/**
 * Yields the members of an object one after another. Each member is read only once, because a graph creates some of its lists each time they are
 * read.
 */
function* record(value: Readonly<Record<string, unknown>>, indent: string): Iterable<string> {
  const inner = `${indent}  `;
  let before = "{\n";
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    yield `${before}${inner}${primitive(name)}: `;
    yield* written(member, inner);
    before = ",\n";
  }
  yield before === "{\n" ? "{}" : `\n${indent}}`;
}
