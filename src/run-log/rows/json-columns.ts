import { DamagedRun } from "../../engine/commit/damaged-run.ts";

/** Parses a column that holds a JSON object. @throws DamagedRun for any other content */
export function record(text: unknown): Record<string, unknown> {
  const value = parsed(text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new DamagedRun("the file is damaged: a stored value is not a JSON object");
  return value as Record<string, unknown>;
}

/** Parses a column that holds a JSON list of strings. @throws DamagedRun for any other content */
export function lines(text: unknown): readonly string[] {
  const value = parsed(text);
  if (!Array.isArray(value) || !value.every((line) => typeof line === "string"))
    throw new DamagedRun("the file is damaged: a stored value is not a list of texts");
  return value;
}

/** Parses JSON. Returns `undefined` for damaged JSON, because the parser's message would not help the user. */
function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}
