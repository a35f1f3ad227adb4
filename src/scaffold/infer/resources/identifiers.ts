import { createHash } from "node:crypto";

/** Names that generated code cannot use: methods of the context, JavaScript keywords, and properties that every object has. */
const TAKEN = new Set(
  (
    "get set has delete data then constructor prototype arguments eval await async break case catch class const continue debugger default do else enum export extends false " +
    "finally for function if implements import in instanceof interface let new null of package private protected public return static super switch this throw true try type typeof " +
    "undefined var void while with yield nan infinity api context action actions agent world json object string number boolean"
  ).split(" "),
);

const LONGEST = 60;

/**
 * Returns a valid identifier for a name: `[a-z][a-z0-9_]*`, at most 60 characters, and not a reserved word. A longer name is shortened and gets a
 * hash.
 */
export function identifier(snake: string, otherwise: string): string {
  const name = plainName(snake, otherwise);
  return TAKEN.has(name) ? `${name}_${otherwise}` : name;
}

/**
 * Returns a name of the same form as {@link identifier}, but allows most reserved words. Generated code uses such a name only in texts, and not as an
 * identifier.
 */
export function plainName(snake: string, otherwise: string): string {
  let name = snake.replace(/[^a-z0-9_]/g, "").replace(/^[0-9_]+/, (start) => (snake.length > start.length ? `n${start}` : ""));
  if (name === "") name = otherwise;
  if (name.length > LONGEST) name = `${name.slice(0, LONGEST - 9)}_${shortHash(name)}`;
  return name === "constructor" || name === "prototype" ? `${name}_${otherwise}` : name;
}

export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

/** Returns the first of the names that is not in `taken`, and adds it to `taken`. */
export function unique(taken: Set<string>, ...names: readonly string[]): string {
  let name = names.find((one) => !taken.has(one));
  const last = names.at(-1)!;
  for (let count = 2; name === undefined; count++) if (!taken.has(`${last}_${count}`)) name = `${last}_${count}`;
  taken.add(name);
  return name;
}
