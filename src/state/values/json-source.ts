/** The parts of a JSON object or array that its parsed value does not show. */
interface Source {
  /** The keys in the order of the text. JavaScript moves keys that look like integers to the front. `undefined` if the value has the same order. */
  readonly keys: readonly string[] | undefined;
  /** The numbers that JavaScript writes in another way, such as `1.0`, `1.50` and `1e2`, by key or index. */
  readonly numbers: ReadonlyMap<unknown, string>;
}

const SOURCES: WeakMap<object, Source> = new WeakMap();
const TOKENS = /"(?:[^"\\]|\\.)*"|[^\s:,"[\]{}]+|[[\]{}]/g;

/**
 * Parses JSON. {@link jsonKeys} and {@link jsonNumber} return the order of keys and the spelling of numbers that the value does not show. White space
 * and escapes in texts are lost. Returns `undefined` if the text is not JSON, has an object with two equal keys, or is nested too deep.
 */
export function readJson(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    // Most programs write JSON in the same way as JavaScript.
    if (typeof value !== "object" || value === null || JSON.stringify(value) === text) return value;
    const tokens = text.match(TOKENS)!;
    let at = 0;
    return read(() => tokens[at++]!);
  } catch {
    return undefined;
  }
}

function read(next: () => string, first: string = next()): unknown {
  const isArray = first === "[";
  if (!isArray && first !== "{") return JSON.parse(first) as unknown;
  const entries: [string, unknown][] = [];
  const numbers = new Map<string, string>();
  for (let token = next(); token !== "]" && token !== "}"; token = next()) {
    const key = isArray ? String(entries.length) : (JSON.parse(token) as string);
    const source = isArray ? token : next();
    const item = read(next, source);
    if (typeof item === "number" && String(item) !== source) numbers.set(key, source);
    entries.push([key, item]);
  }
  const value = isArray ? entries.map(([, item]) => item) : Object.fromEntries(entries);
  const shown = Object.keys(value);
  if (shown.length < entries.length) throw new SyntaxError("two equal keys");
  const hasOwnOrder = entries.some(([key], index) => key !== shown[index]);
  if (hasOwnOrder || numbers.size > 0) SOURCES.set(value, { keys: hasOwnOrder ? entries.map(([key]) => key) : undefined, numbers });
  return value;
}

/** Returns the keys of an object in the order of the JSON text from which it was read. */
export function jsonKeys(value: object): readonly string[] {
  return SOURCES.get(value)?.keys?.filter((key) => Object.hasOwn(value, key)) ?? Object.keys(value);
}

/** Returns a number in an object or array as the JSON text has it, if JavaScript writes it in another way. */
export function jsonNumber(holder: object, key: unknown): string | undefined {
  return SOURCES.get(holder)?.numbers.get(key);
}

/** Gives a changed copy of a value that was read from JSON the order and the spelling of the original. @param nameOf Returns the copy's key for a key */
export function likeJson<T extends object>(copy: T, original: object, nameOf: (key: unknown) => unknown = (key) => key): T {
  const source = SOURCES.get(original);
  if (source !== undefined)
    SOURCES.set(copy, { ...source, numbers: new Map([...source.numbers].map(([key, text]) => [nameOf(key), text])) });
  return copy;
}

/** Writes a value that was read from JSON, or a part of it, as JSON with its order and spelling. */
export function writeJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const item = (key: string): string => {
    const inner = (value as Readonly<Record<string, unknown>>)[key];
    return (typeof inner === "number" ? jsonNumber(value, key) : undefined) ?? writeJson(inner);
  };
  if (Array.isArray(value)) return `[${value.map((_, index) => item(String(index))).join(",")}]`;
  return `{${jsonKeys(value)
    .map((key) => `${JSON.stringify(key)}:${item(key)}`)
    .join(",")}}`;
}
