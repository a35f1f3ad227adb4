import { percentDecoded } from "../parse/percent-decoded.ts";

/** A part of a path between slashes: texts, with a value between each two. `["", ".json"]` is `{id}.json`, `["me"]` is `me`. */
type Segment = readonly string[];

/** A path with names in the place of values, as `/orders/{id}`. */
export interface Template {
  readonly segments: readonly Segment[];
}

/** A query or fragment is no part of it, nor is a slash at the end. */
export function templateOf(path: string): Template {
  return { segments: segmentsOf(path).map((segment) => segment.split(/\{[^{}]*\}/).map(percentDecoded)) };
}

/** The parts of a path, still encoded: a slash within a value is `%2F`. */
export function segmentsOf(path: string): readonly string[] {
  const parts = path.replace(/[?#].*$/s, "").split("/");
  if (parts.length > 1 && parts.at(-1) === "") parts.pop();
  return parts[0] === "" ? parts.slice(1) : parts;
}

/** Whether a path is one of the template's. A value has one character at least. */
export function matches({ segments }: Template, parts: readonly string[]): boolean {
  return segments.length === parts.length && segments.every((segment, index) => fits(segment, percentDecoded(parts[index]!)));
}

/** Below 0 where `one` says more about its paths, from the left: `/orders/last` before `/orders/{id}`. */
export function compare(one: Template, other: Template): number {
  for (const [index, segment] of one.segments.entries()) {
    const difference = openness(segment) - openness(other.segments[index] ?? []);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** 0 for a text; more, the less of it is text. */
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
