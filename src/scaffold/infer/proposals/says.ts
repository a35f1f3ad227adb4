import type { PlannedAction } from "../plan.ts";
import { squashed } from "../resources/words.ts";

/** The number of characters at the beginning of a description that are searched. The beginning says what the operation does. */
const BEGINNING = 120;

/**
 * Returns `true` if `words` matches the name, the URL path or the beginning of the description of an operation. Returns `false` if `others` matches
 * the name or the path.
 */
export function says({ operation }: PlannedAction, words: RegExp, others?: RegExp): boolean {
  const { id, path, summary, description } = operation;
  const names = [id ?? "", path.replace(/\{[^{}]*\}/g, " ")].map(squashed);
  if (others !== undefined && names.some((name) => others.test(name))) return false;
  return [...names, squashed((summary ?? "").slice(0, BEGINNING)), squashed((description ?? "").slice(0, BEGINNING))].some((text) =>
    words.test(text),
  );
}
