/** The parameters of a path by name, with decoded values. */
export type Parameters = ReadonlyMap<string, string>;

type Part = { readonly kind: "text"; readonly text: string } | { readonly kind: "parameter"; readonly name: string };

/** A path such as `/orders/{order_id}`. Parameters are whole segments. Braces in a part of a segment are literal text. */
export class PathTemplate {
  readonly text: string;
  readonly #parts: readonly Part[];
  /**
   * The `/` at the end of the path, or an empty text. It must be sent, because many servers redirect or refuse requests without it. The method
   * `match` ignores a `/` at the end.
   */
  readonly #end: "" | "/";

  constructor(text: string) {
    this.text = text;
    this.#end = text.length > 1 && text.endsWith("/") ? "/" : "";
    this.#parts = trimmed(text).map((part) => {
      const name = /^\{([^{}]+)\}$/.exec(part)?.[1];
      return name === undefined ? { kind: "text", text: part } : { kind: "parameter", name };
    });
  }

  get length(): number {
    return this.#parts.length;
  }

  /** The name of the parameter at the end of the path; `undefined` if the path ends with literal text. */
  get last(): string | undefined {
    const part = this.#parts.at(-1);
    return part?.kind === "parameter" ? part.name : undefined;
  }

  get parameters(): number {
    return this.#parts.filter(({ kind }) => kind === "parameter").length;
  }

  /** Returns the parameters of a path that matches the whole template; `undefined` for another path. */
  match(segments: readonly string[]): Parameters | undefined {
    return segments.length === this.length ? this.bind(segments) : undefined;
  }

  /**
   * Returns the values that a path has for the template's parameters. The path may have additional segments at its end, and may lack the literal
   * segments at the end of the template. Returns `undefined` if a literal segment differs, or if a parameter is missing.
   */
  bind(segments: readonly string[]): Parameters | undefined {
    const found = new Map<string, string>();
    for (const [i, part] of this.#parts.entries()) {
      const segment = segments[i];
      if (part.kind === "text") {
        if (segment !== undefined && segment !== part.text) return undefined;
      } else {
        if (segment === undefined || segment === "") return undefined;
        found.set(part.name, segment);
      }
    }
    return found;
  }

  /** Returns the template's path with the given parameter values; `undefined` if a value is missing or cannot be a path segment. */
  filled(values: Parameters): string | undefined {
    const segments: string[] = [];
    for (const part of this.#parts) {
      const value = part.kind === "text" ? undefined : (values.get(part.name) ?? "");
      // Reject `.` and `..`, which would lead to another path even if they are encoded. A lone surrogate cannot be encoded.
      if (value !== undefined && (/^\.{0,2}$/.test(value) || /\p{Surrogate}/u.test(value))) return undefined;
      segments.push(part.kind === "text" ? part.text : encodeURIComponent(value!));
    }
    return `/${segments.join("/")}${this.#end}`;
  }
}

/** Returns the decoded segments of a path; `undefined` if a segment is not valid UTF-8. */
export function segmentsOf(path: string): readonly string[] | undefined {
  try {
    return trimmed(path).map((segment) => decodeURIComponent(segment));
  } catch {
    return undefined;
  }
}

function trimmed(path: string): readonly string[] {
  const inner = path.replace(/^\//, "").replace(/\/$/, "");
  return inner === "" ? [] : inner.split("/");
}
