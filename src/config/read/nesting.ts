import { Parser, type CST } from "yaml";

/**
 * Returns the offset at which a YAML text is first nested deeper than `most` levels, or `undefined` if the text is never nested so deeply. Call this
 * function before the document is composed. Composing recurses, and a deep recursion can end the process with an error in V8's regular expression
 * engine that cannot be caught. `tooDeepAt` itself does not recurse.
 */
export function tooDeepAt(text: string, most: number): number | undefined {
  return tooDeepIn(new Parser().parse(text), most);
}

/** Returns the offset at which parsed YAML is first nested deeper than `most` levels, or `undefined` if there is no such offset. */
export function tooDeepIn(tokens: Iterable<CST.Token>, most: number): number | undefined {
  const waiting: { readonly token: CST.Token; readonly depth: number }[] = [];
  const add = (token: CST.Token | null | undefined, depth: number): void => {
    if (token !== null && token !== undefined) waiting.push({ token, depth });
  };
  for (const token of tokens) add(token, 0);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { token, depth } = next;
    if (depth > most) return token.type === "document" ? 0 : token.offset;
    if (token.type === "document") add(token.value, depth);
    if (!("items" in token)) continue;
    for (const item of token.items) {
      add(item.key, depth + 1);
      add(item.value, depth + 1);
    }
  }
  return undefined;
}
