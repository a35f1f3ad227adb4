import { isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap } from "yaml";
import { isPlain, put, type Plain } from "./plain.ts";

/** The maximum number of keys that all YAML merges (`<<`) of a document may copy in total. */
const MOST_MERGED = 1_000_000;

interface Trouble {
  readonly duplicate: (key: string, offset: number) => void;
  readonly broken: (what: string, offset: number) => Error;
}

/**
 * Converts a parsed YAML document to plain values. All aliases of an anchor share one object, so nested aliases and merges (`<<`) take linear time.
 * The conversion in the `yaml` package can take exponential time.
 */
export function yamlValue(contents: unknown, trouble: Trouble): unknown {
  return new Reader(trouble).value(contents);
}

class Reader {
  readonly #trouble: Trouble;
  #merged = 0;
  readonly #anchors = new Map<string, { readonly value: unknown } | "open">();

  constructor(trouble: Trouble) {
    this.#trouble = trouble;
  }

  value(node: unknown): unknown {
    if (isAlias(node)) return this.#alias(node.source, offsetOf(node));
    if (isScalar(node)) return this.#keep(node.anchor, plainScalar(node.value));
    if (isMap(node)) return this.#kept(node, () => this.#map(node));
    if (isSeq(node)) return this.#kept(node, () => node.items.map((item) => this.value(item)));
    return null;
  }

  #kept(node: Node & { anchor?: string }, read: () => unknown): unknown {
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, "open");
    return this.#keep(node.anchor, read());
  }

  #keep(anchor: string | undefined, value: unknown): unknown {
    if (anchor !== undefined) this.#anchors.set(anchor, { value });
    return value;
  }

  #alias(name: string, offset: number): unknown {
    const anchor = this.#anchors.get(name);
    if (anchor === undefined) throw this.#trouble.broken(`the alias *${name} has no anchor before it.`, offset);
    if (anchor === "open") throw this.#trouble.broken(`the alias *${name} is inside the part that it refers to.`, offset);
    return anchor.value;
  }

  #map(node: YAMLMap): Plain {
    const object: Plain = {};
    const merged: (readonly Plain[])[] = [];
    for (const { key, value } of node.items) {
      if (!isScalar(key)) throw this.#trouble.broken("a key is not text.", offsetOf(key ?? node));
      const name = String(key.value ?? "");
      if (name === "<<" && key.type === "PLAIN") merged.push(this.#sources(value, offsetOf(key)));
      else {
        if (Object.hasOwn(object, name)) this.#trouble.duplicate(name, offsetOf(key));
        put(object, name, this.value(value));
      }
    }
    for (const source of merged.flat()) {
      const entries = Object.entries(source);
      if ((this.#merged += entries.length + 1) > MOST_MERGED)
        throw this.#trouble.broken("merges with << make the file too large.", offsetOf(node));
      for (const [name, value] of entries) if (!Object.hasOwn(object, name)) put(object, name, value);
    }
    return object;
  }

  #sources(node: unknown, offset: number): readonly Plain[] {
    const value = this.value(node);
    const sources = Array.isArray(value) ? (value as unknown[]) : [value];
    if (sources.every(isPlain)) return sources;
    throw this.#trouble.broken("a key << merges a value that is not a map.", offset);
  }
}

/** Converts a YAML scalar to a value that JSON can represent. NaN and Infinity become `null`, as in `JSON.stringify`. */
function plainScalar(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  return typeof value === "string" || typeof value === "boolean" ? value : null;
}

function offsetOf(node: unknown): number {
  return (node as { range?: readonly [number, number, number] | null }).range?.[0] ?? 0;
}
