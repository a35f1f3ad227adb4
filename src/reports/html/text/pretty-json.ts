/** Texts with more characters than this are not formatted. */
const MOST = 200_000;
/**
 * The deepest level with its own indentation. Deeper levels get the same indentation, because the length of the result would otherwise grow with the
 * square of the depth.
 */
const DEEPEST = 50;

/**
 * Returns JSON with line breaks and indentation; any other text, and JSON of more than 200,000 characters, is returned unchanged. Only whitespace is
 * changed, so long numbers, repeated names and the order of names are kept.
 */
export function prettyJson(text: string): string {
  if (text.length > MOST || !/^\s*[[{]/.test(text)) return text;
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  let out = "";
  const line = (): string => `\n${"  ".repeat(Math.min(depth, DEEPEST))}`;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{},:]|[^\s[\]{},:"]+/g)) {
    if (token === "{" || token === "[") {
      depth++;
      out += token + line();
    } else if (token === "}" || token === "]") {
      depth--;
      out += line() + token;
    } else if (token === ",") out += token + line();
    else if (token === ":") out += ": ";
    else out += token.startsWith("[") || token.startsWith("{") ? token.replace(/\s/g, "") : token;
  }
  return out;
}
