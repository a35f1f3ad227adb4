import { Clock } from "./clock.ts";
import type { IdPiece } from "../canonical/pieces.ts";
import { scan } from "./scan.ts";

const WORD = /[A-Za-z0-9_-]{16,}|[A-Za-z0-9+/]{22,}={0,2}/g;

/**
 * Returns the tokens in a source text that look like ids. Such literals in the user's code are not renamed in states, because they are the same in
 * every run.
 */
export function opaqueTokens(source: string): Set<string> {
  const clock = new Clock(Date.now());
  const tokens = new Set<string>();
  for (const [word] of source.matchAll(WORD)) if (idsIn(word, clock).length > 0) tokens.add(word);
  return tokens;
}

export function literalKeys(tokens: Iterable<string>, clock: Clock): Set<string> {
  const keys = new Set<string>();
  for (const token of tokens) for (const piece of idsIn(token, clock)) keys.add(piece.key);
  return keys;
}

function idsIn(text: string, clock: Clock): IdPiece[] {
  return (scan(text, clock, []) ?? []).filter((piece): piece is IdPiece => piece.kind === "id");
}
