/** The JSON object of a column. @throws TypeError when it is none */
export function record(text: unknown): Record<string, unknown> {
  const value = parsed(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new TypeError("a column holds no JSON object");
  return value as Record<string, unknown>;
}

/** The JSON list of strings of a column. @throws TypeError when it is none */
export function lines(text: unknown): readonly string[] {
  const value = parsed(text);
  if (!Array.isArray(value) || !value.every((line) => typeof line === "string"))
    throw new TypeError("a column holds no JSON list of texts");
  return value;
}

/** What a parser says of damaged text tells nobody anything. */
function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}
