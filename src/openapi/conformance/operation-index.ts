import type { ApiDescription, Operation } from "../operations/description.ts";
import { percentDecoded } from "../parse/percent-decoded.ts";

/** A part of a path between slashes: texts, with a value between each two of them. `["", ".json"]` is `{id}.json`, `["me"]` is `me`. */
type Segment = readonly string[];

/** A path with names in the place of values, such as `/orders/{id}`. */
interface Template {
  readonly segments: readonly Segment[];
}

interface Entry {
  readonly operation: Operation;
  readonly template: Template;
}

/** Finds the operation of a request. */
export class OperationIndex {
  /** The operations by method and number of segments, the most specific first. */
  readonly #entries = new Map<string, Entry[]>();

  /** @param base The path at which the target serves what the description has at `/`, in addition to the paths of its servers. */
  constructor(description: ApiDescription, base = "") {
    for (const operation of description.operations) {
      const servers = operation.servers ?? description.servers;
      // The path is also tried alone: a target under test may lack the prefix that it has in production.
      for (const prefix of new Set([base, ...servers.map(pathOf), ""])) this.#add(operation, prefix.replace(/\/+$/, ""));
    }
    for (const entries of this.#entries.values()) entries.sort((a, b) => compare(a.template, b.template));
  }

  /** Returns the operation of a call; `undefined` if the description has no such call. @param url Absolute, or a path. */
  find(method: string, url: string): Operation | undefined {
    const parts = segmentsOf(url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, ""));
    return this.#entries.get(keyOf(method, parts.length))?.find(({ template }) => matches(template, parts))?.operation;
  }

  #add(operation: Operation, prefix: string): void {
    const template = templateOf(prefix + operation.path);
    const key = keyOf(operation.method, template.segments.length);
    const entries = this.#entries.get(key);
    if (entries === undefined) this.#entries.set(key, [{ operation, template }]);
    else entries.push({ operation, template });
  }
}

function keyOf(method: string, segments: number): string {
  return `${method.toLowerCase()} ${segments}`;
}

/** Returns the path of a server's URL, which may have variables without a value. */
function pathOf(server: string): string {
  const path = server.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "");
  return path === "" || path.startsWith("/") ? path : `/${path}`;
}

/** Parses a path. A query, a fragment and a slash at the end are ignored. */
function templateOf(path: string): Template {
  return { segments: segmentsOf(path).map((segment) => segment.split(/\{[^{}]*\}/).map(percentDecoded)) };
}

/** Returns the parts of a path, still encoded: a slash within a value is `%2F`. */
function segmentsOf(path: string): readonly string[] {
  const parts = path.replace(/[?#].*$/s, "").split("/");
  if (parts.length > 1 && parts.at(-1) === "") parts.pop();
  return parts[0] === "" ? parts.slice(1) : parts;
}

/** Returns `true` if a path matches the template. A value has at least one character. */
function matches({ segments }: Template, parts: readonly string[]): boolean {
  return segments.length === parts.length && segments.every((segment, index) => fits(segment, percentDecoded(parts[index]!)));
}

/** Returns a number below 0 if `one` is more specific, compared from the left: `/orders/last` before `/orders/{id}`. */
function compare(one: Template, other: Template): number {
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
