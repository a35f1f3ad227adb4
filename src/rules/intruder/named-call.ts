import { decoded } from "../../model/http/decoded.ts";
import type { RequestOptions } from "../../model/http/client.ts";
import { leavesOf, type ReadValue } from "./owners-view.ts";

/** A call before it is sent. `names`: if the call contains an id that the owner's calls returned, a credential, or neither. */
export interface NamedCall {
  /** The text of the call in messages: `GET /notes/{note_id}`. */
  readonly text: string;
  /** `true` if the call only reads, by RFC 9110, 9.2.1. */
  readonly safe: boolean;
  readonly names: "owned" | "nothing" | "credential";
  /** The names and values of the body's fields that contain the owner's values. Only set if the path and the query contain none of these values. */
  readonly inBody?: readonly (readonly [name: string, text: string])[] | undefined;
}

/** Matches ids separated by commas. */
const LIST = /^[\w-]+(?:,\s*[\w-]+)+$/;
const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/** Finds the owner's values that an HTTP request contains. */
export function namedRequest(method: string, path: string, options: RequestOptions | undefined, read: readonly ReadValue[]): NamedCall {
  const search = new Search(read);
  const [beforeQuery = "", ...inQuery] = withoutOrigin(path).split("#", 1)[0]!.split("?");
  const way = beforeQuery
    .split("/")
    .map((segment) => search.segment(segment))
    .join("/");
  const query = [...new URLSearchParams(inQuery.join("?")), ...leavesOf(options?.query, "")].flatMap(([name, text]) => {
    const found = search.whole(text) ?? search.inside(text) ?? search.within(text);
    return found === undefined ? [] : [`${name}={${found}}`];
  });
  const isOnlyInBody = search.names === "nothing";
  const named = leavesOf(bodyOf(options), "").flatMap(([name, text]) => {
    const found = search.value(text) ?? search.inside(text);
    return found === undefined ? search.quotedIn(name, text).map((one) => [one, [name, text]] as const) : [[found, [name, text]] as const];
  });
  const inBody = named.map(([found]) => found);
  const asked = query.length === 0 ? "" : `?${query.join("&")}`;
  const verb = method.toUpperCase();
  return {
    text: `${verb} ${way}${asked}${inBody.length === 0 ? "" : ` with ${[...new Set(inBody)].map((name) => `{${name}}`).join(", ")}`}`,
    safe: SAFE.has(verb),
    names: search.names,
    inBody: isOnlyInBody && named.length > 0 ? named.map(([, field]) => field) : undefined,
  };
}

/** Finds the owner's values that a GraphQL operation contains, in its variables or in its text. */
export function namedField(text: string, options: unknown, read: readonly ReadValue[]): NamedCall {
  const search = new Search(read);
  const variables = (options as { readonly variables?: unknown } | undefined)?.variables;
  const found = [...leavesOf(variables, "").flatMap(([, value]) => search.value(value) ?? []), ...search.quoted(text)];
  const [, kind = "query", field = ""] = /^\s*(query|mutation|subscription)?[^{]*\{\s*(?:\w+\s*:\s*)?(\w+)/.exec(text) ?? [];
  const named = [...new Set(found)].map((one) => `{${one}}`).join(", ");
  return { text: `${kind} ${field}${named === "" ? "" : ` with ${named}`}`, safe: kind === "query", names: search.names };
}

/** Finds the owner's values in the arguments of a call of any other client. */
export function namedArguments(name: string, args: readonly unknown[], read: readonly ReadValue[]): NamedCall {
  const search = new Search(read);
  const found = leavesOf(args, "").flatMap(([, text]) => search.value(text) ?? search.within(text) ?? []);
  return { text: `${name}(${[...new Set(found)].map((one) => `{${one}}`).join(", ")})`, safe: false, names: search.names };
}

/**
 * Finds the owner's values in a request. Several values may have the same text, such as the first ids of two tables. The parts of the request with
 * this text are then assigned to these values in turn.
 */
class Search {
  readonly #byText: Map<string, ReadValue[]> = new Map();
  readonly #found: Set<ReadValue> = new Set();
  readonly #kinds: Set<ReadValue["kind"]> = new Set();

  constructor(read: readonly ReadValue[]) {
    for (const value of read) this.#byText.set(value.text, [...(this.#byText.get(value.text) ?? []), value]);
  }

  get names(): NamedCall["names"] {
    return this.#kinds.has("credential") ? "credential" : this.#kinds.has("owned") ? "owned" : "nothing";
  }

  whole(text: string, isInPath = false): string | undefined {
    const candidates = this.#byText.get(text);
    if (candidates === undefined) return undefined;
    const one = candidates.find((candidate) => !this.#found.has(candidate)) ?? candidates[0]!;
    this.#found.add(one);
    this.#kinds.add(one.kind !== "session" ? one.kind : isInPath ? "owned" : "credential");
    return one.name;
  }

  /** Returns a path segment with the owner's values replaced by their names: `{note_id}`, `{note_id}.json`. */
  segment(segment: string): string {
    const text = decoded(segment);
    const found = this.whole(text, true);
    if (found !== undefined) return `{${found}}`;
    // Only whole words between punctuation marks are compared: `1` is found in `1.json` and `orders(1)`, but not in `10` or in a UUID.
    return text.split(/([^\p{L}\p{N}_-]+)/u).reduce((shown, part) => {
      const name = part === text ? undefined : this.whole(part, true);
      return shown + (name === undefined ? part : `{${name}}`);
    }, "");
  }

  /**
   * Returns the name of the owner's value that is equal to a text in a body, or that is a segment of the URL in the text; `undefined` if no value
   * fits.
   */
  value(text: string): string | undefined {
    const found = this.whole(text);
    if (found !== undefined || !/^(?:https?:\/)?\//.test(text)) return found;
    for (const segment of withoutOrigin(text).split(/[/?#]/)) {
      const named = this.whole(decoded(segment));
      if (named !== undefined) return named;
    }
    return undefined;
  }

  /** Returns the name of the owner's value in JSON inside a text, or in a list of ids with commas; `undefined` if no value fits. */
  inside(text: string): string | undefined {
    if (LIST.test(text)) return this.within(text);
    if (!/^\s*[[{]/.test(text)) return undefined;
    try {
      for (const [, leaf] of leavesOf(JSON.parse(text), "")) {
        const named = this.value(leaf);
        if (named !== undefined) return named;
      }
    } catch {
      // A text that begins like JSON but cannot be parsed contains no value.
    }
    return undefined;
  }

  /** Returns the names of the owner's values in the GraphQL document of a body's field `query`. */
  quotedIn(name: string, text: string): readonly string[] {
    return /(?:^|\.)query$/.test(name) && text.includes("{") ? this.quoted(text) : [];
  }

  /** Returns the names of the owner's values in a GraphQL text: `order(id: "7")`. A value must be a whole argument. */
  quoted(text: string): readonly string[] {
    return [...text.matchAll(/:\s*(?:"((?:[^"\\]|\\.)*)"|(-?\d+)(?![\w.]))/g)].flatMap(
      ([, string, number]) => this.whole(string ?? number ?? "") ?? [],
    );
  }

  /** Returns the name of the owner's value in any other text, such as an SQL query. The value must be between quotes or other punctuation marks. */
  within(text: string): string | undefined {
    for (const part of text.split(/[^\p{L}\p{N}_-]+/u)) {
      const named = part === text ? undefined : this.whole(part);
      if (named !== undefined) return named;
    }
    return undefined;
  }
}

function bodyOf(options: RequestOptions | undefined): unknown {
  const { json, form, multipart, body } = options ?? {};
  if (typeof body !== "string") return [json, form, multipart];
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return Object.fromEntries(new URLSearchParams(body));
  }
}

function withoutOrigin(path: string): string {
  return path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "");
}
