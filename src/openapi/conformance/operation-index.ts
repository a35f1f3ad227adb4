import type { Operation } from "../operations/description.ts";
import { percentDecoded } from "../parse/percent-decoded.ts";

/** A segment of a URL path template, split at its parameters: `["", ".json"]` for `{id}.json`, and `["me"]` for the fixed segment `me`. */
type Segment = readonly string[];

interface Template {
  readonly segments: readonly Segment[];
}

/** The parts of an operation that determine which requests call the operation. */
export type IndexedOperation = Pick<Operation, "path" | "servers"> & { readonly method: string };

/** The parts of an OpenAPI description that an operation index needs. */
export interface IndexedDescription<T extends IndexedOperation> {
  readonly servers: readonly string[];
  readonly operations: readonly T[];
}

interface Entry<T> {
  readonly operation: T;
  readonly template: Template;
}

export class OperationIndex<T extends IndexedOperation = Operation> {
  /** The operations by HTTP method and number of path segments. Operations with fixed segments come before operations with parameters. */
  readonly #entries = new Map<string, Entry<T>[]>();

  /**
   * @param base The path that the target adds before the paths of the description, such as `/api`. It is tried in addition to the paths of the
   * servers.
   */
  constructor(description: IndexedDescription<T>, base = "") {
    for (const operation of description.operations) {
      const servers = operation.servers ?? description.servers;
      // The path is also indexed without a prefix, because the prefix of the production servers may be missing in the target under test.
      for (const prefix of new Set([base, ...servers.map(pathOf), ""])) this.#add(operation, prefix.replace(/\/+$/, ""));
    }
    for (const entries of this.#entries.values()) entries.sort((a, b) => compare(a.template, b.template));
  }

  /**
   * Returns the operation of the description that a request calls, or `undefined` if no operation matches.
   * @param url An absolute URL or a path.
   */
  find(method: string, url: string): T | undefined {
    const parts = segmentsOf(url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, ""));
    return this.#entries.get(keyOf(method, parts.length))?.find(({ template }) => matches(template, parts))?.operation;
  }

  #add(operation: T, prefix: string): void {
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

/** Returns the path of a server URL. The URL may contain variables such as `{region}` that have no value. */
function pathOf(server: string): string {
  const path = server.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "");
  return path === "" || path.startsWith("/") ? path : `/${path}`;
}

/** Parses a URL path with parameters such as `{id}`. A query, a fragment and a trailing slash are ignored. */
function templateOf(path: string): Template {
  return { segments: segmentsOf(path).map((segment) => segment.split(/\{[^{}]*\}/).map(percentDecoded)) };
}

/** Returns the segments of a URL path without decoding them, because a decoded segment could contain a slash (`%2F`). */
function segmentsOf(path: string): readonly string[] {
  const parts = path.replace(/[?#].*$/s, "").split("/");
  if (parts.length > 1 && parts.at(-1) === "") parts.pop();
  return parts[0] === "" ? parts.slice(1) : parts;
}

/** Returns `true` if a URL path matches the template. A parameter must have at least one character. */
function matches({ segments }: Template, parts: readonly string[]): boolean {
  return segments.length === parts.length && segments.every((segment, index) => fits(segment, percentDecoded(parts[index]!)));
}

/**
 * Compares two URL path templates segment by segment. The result is negative if `one` is more specific: `/orders/last` comes before `/orders/{id}`.
 */
function compare(one: Template, other: Template): number {
  for (const [index, segment] of one.segments.entries()) {
    const difference = openness(segment) - openness(other.segments[index] ?? []);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Returns a rank for sorting segments: 0 for a fixed segment, and between 1 and 2 for a segment with a parameter. The longer the fixed part beside
 * the parameter, the lower the rank.
 */
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
