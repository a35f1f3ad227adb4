import { percentDecoded } from "../parse/percent-decoded.ts";

/** A part of a path between slashes: texts, with a value between each two of them. `["", ".json"]` is `{id}.json`, `["me"]` is `me`. */
type Segment = readonly string[];

/** A path with names in the place of values, such as `/orders/{id}`. */
export interface Template {
  readonly segments: readonly Segment[];
}

/** Parses a path. A query, a fragment and a slash at the end are ignored. */
export function templateOf(path: string): Template {
  return { segments: segmentsOf(path).map((segment) => segment.split(/\{[^{}]*\}/).map(percentDecoded)) };
}

/** Returns the parts of a path, still encoded: a slash within a value is `%2F`. */
export function segmentsOf(path: string): readonly string[] {
  const parts = path.replace(/[?#].*$/s, "").split("/");
  if (parts.length > 1 && parts.at(-1) === "") parts.pop();
  return parts[0] === "" ? parts.slice(1) : parts;
}

/** Returns `true` if a path matches the template. A value has at least one character. */
export function matches({ segments }: Template, parts: readonly string[]): boolean {
  return segments.length === parts.length && segments.every((segment, index) => fits(segment, percentDecoded(parts[index]!)));
}

/** Returns a number below 0 if `one` is more specific, compared from the left: `/orders/last` before `/orders/{id}`. */
export function compare(one: Template, other: Template): number {
  for (const [index, segment] of one.segments.entries()) {
    const difference = openness(segment) - openness(other.segments[index] ?? []);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Returns 0 for a text, and a higher number the less of the segment is text. */
function openness(segment: Segment): number {
  if (segment.length < 2) return 0;
  return 1 + 1 / (1 + segment.join("").length);
}

function fits(texts: Segment, value: string): boolean {
  const first = texts[0]!;
  if (texts.length === 1) return value === first;
  const last = texts.at(-1)!;
  if (!value.startsWith(first) || !value.endsWith(last)) return false;
  const end = value.length - last.length;
  let at = first.length;
  for (const text of texts.slice(1, -1)) {
    const found = value.indexOf(text, at + 1);
    if (found < 0) return false;
    at = found + text.length;
  }
  return at < end;
}
