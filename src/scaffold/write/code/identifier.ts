/**
 * Names that generated declarations must not have: reserved words, globals that generated code uses, and names that generated code declares itself.
 */
const TAKEN = new Set(
  [
    "abstract any arguments as async await bigint boolean break case catch class const continue debugger declare default delete do else enum",
    "eval export extends false finally for from function get if implements import in infer instanceof interface is keyof let module namespace",
    "never new null number object of package private protected public readonly require return satisfies set static string super switch symbol",
    "this throw true try type typeof undefined unique unknown using var void while with yield constructor prototype hasOwnProperty toString",
    "encodeURIComponent globalThis process exports isNaN parseInt parseFloat escape unescape",
    "actions api context credentials response user users resources agent read lastSegment fromEnvironment logIn",
  ].flatMap((line) => line.split(" ")),
);

/** Returns a valid identifier for any text: `createOrder` for `create_order`. The result is never one of the names in `TAKEN`. */
export function identifier(name: string, suffix = "Action"): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const joined = words.map((word, index) => (index === 0 ? lowered(word) : raised(word))).join("");
  if (joined === "") return lowered(suffix);
  if (/^\d/.test(joined)) return `${lowered(suffix)}${joined}`;
  return TAKEN.has(joined) ? `${joined}${suffix}` : joined;
}

/** Returns a name that is not in `taken`, if necessary with a number at the end, and adds it to `taken`. */
export function unique(name: string, taken: Set<string>, separator = ""): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}${separator}${number}`;
  taken.add(free);
  return free;
}

/** Converts a text to a part of a file name: `unique-shop` for `Ünique Shop!`. Returns `otherwise` if no character remains. */
export function slug(name: string, otherwise: string): string {
  const plain = name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, "");
  return plain === "" ? otherwise : plain;
}

const lowered = (word: string): string => word.charAt(0).toLowerCase() + word.slice(1);
const raised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
