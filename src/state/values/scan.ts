import type { Clock } from "./clock.ts";
import { tokenPiece, uuidPiece } from "./ids.ts";
import type { Piece } from "../canonical/pieces.ts";
import { looksRandom, readsLikeWord } from "./randomness.ts";

export type Placeholders = readonly (readonly [string, string])[];

// The order of the alternatives matters, because the first match counts: a JSON Web Token, a date and time, an HTTP date, an id of a Redis stream, a
// number as long as an epoch time, and a word that may be or contain an id.
const CANDIDATE =
  /eyJ[\w-]{6,}\.eyJ[\w-]{6,}\.[\w-]*|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?(?!\w)|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT|(?<![\w-])\d{13}-\d{1,4}(?![\w-])|\d{10,19}(?:\.\d+)?(?![\w-])|[\w-]{16,}/g;
const UUID = /(?<![0-9a-fA-F])(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9A-F]{8}-(?:[0-9A-F]{4}-){3}[0-9A-F]{12})(?![0-9a-fA-F])/g;
const WHOLE_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const STREAM_ID = /^(\d{13})-\d{1,4}$/;
const DASH = 0x2d;
const PREFIXED = /^([a-z]{2,10}[_-])([A-Za-z0-9]{16,})$/;
const STANDARD_BASE64 = /^(?=.*[+/=])[A-Za-z0-9+/]{22,}={0,2}$/;
/** The length of the shortest text that can be a time or an id: a time in seconds since 1970. */
export const SHORTEST_CANDIDATE = 10;

/** Splits a string only at the values that placeholders replace; `null` if there are none. */
export function scanMarks(text: string, placeholders: Placeholders): readonly Piece[] | null {
  const pieces: Piece[] = [];
  scanInto(text, placeholders, 0, pieces, pushText);
  return pieces.length === 0 || (pieces.length === 1 && pieces[0]!.kind === "text") ? null : pieces;
}

/** Splits a string at ids, at times, and at the values that placeholders replace; `null` if there are none. */
export function scan(text: string, clock: Clock, placeholders: Placeholders): readonly Piece[] | null {
  if (text.length === 36 && text.charCodeAt(8) === DASH && WHOLE_UUID.test(text)) {
    const uuid = wholeUuid(text);
    return uuid === null ? null : [uuid];
  }
  const pieces: Piece[] = [];
  scanInto(text, placeholders, 0, pieces, (into, rest) => scanText(rest, clock, into));
  return pieces.length === 0 || (pieces.length === 1 && pieces[0]!.kind === "text") ? null : pieces;
}

function wholeUuid(text: string): Piece | null {
  return uuidPiece(text.slice(0, 8) + text.slice(9, 13) + text.slice(14, 18) + text.slice(19, 23) + text.slice(24), "u");
}

function scanInto(
  text: string,
  placeholders: Placeholders,
  from: number,
  pieces: Piece[],
  scanRest: (pieces: Piece[], text: string) => void,
): void {
  // The loop limits the recursion depth to the number of placeholders. Recursion for each occurrence could be too deep: an answer may have thousands
  // of links.
  let rest = text;
  for (let i = from; i < placeholders.length;) {
    const [value, name] = placeholders[i]!;
    const at = value === "" ? -1 : indexOfWhole(rest, value);
    if (at < 0) {
      i++;
      continue;
    }
    scanInto(rest.slice(0, at), placeholders, i + 1, pieces, scanRest);
    pieces.push({ kind: "mark", name });
    rest = rest.slice(at + value.length);
  }
  scanRest(pieces, rest);
}

// Finds a value only as a whole: a port must not be found inside another number, nor a path inside a longer name.
function indexOfWhole(text: string, value: string): number {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    if (!(joins(text, at - 1) && joins(value, 0)) && !(joins(value, value.length - 1) && joins(text, at + value.length))) return at;
  }
  return -1;
}

const joins = (text: string, at: number): boolean => at >= 0 && at < text.length && /\w/.test(text[at]!);

function scanText(text: string, clock: Clock, pieces: Piece[]): void {
  if (text.length >= 22 && text.length % 4 === 0 && STANDARD_BASE64.test(text) && looksRandom(text.replace(/=+$/, ""))) {
    pieces.push({ kind: "id", key: text, form: "t", rank: "", order: "" });
    return;
  }
  let done = 0;
  if (text.length >= SHORTEST_CANDIDATE) {
    for (const match of text.matchAll(CANDIDATE)) {
      const found: Piece[] = [];
      scanCandidate(match[0], clock, found);
      if (found.every((piece) => piece.kind === "text")) continue;
      pushText(pieces, text.slice(done, match.index));
      for (const piece of found) {
        if (piece.kind === "text") pushText(pieces, piece.text);
        else pieces.push(piece);
      }
      done = match.index + match[0].length;
    }
  }
  pushText(pieces, text.slice(done));
}

function pushText(pieces: Piece[], text: string): void {
  if (text === "") return;
  const last = pieces.at(-1);
  if (last?.kind === "text") pieces[pieces.length - 1] = { kind: "text", text: last.text + text };
  else pieces.push({ kind: "text", text });
}

function scanCandidate(candidate: string, clock: Clock, pieces: Piece[]): void {
  const first = candidate.charCodeAt(0);
  if (candidate.includes(".") && candidate.startsWith("eyJ")) scanJwt(candidate, clock, pieces);
  else if (/^[\d.]+$/.test(candidate))
    pieces.push(clock.nearNumber(Number(candidate)) ? { kind: "time" } : { kind: "text", text: candidate });
  else if ((candidate.includes(":") || candidate.includes(" ")) && first !== 0x2d) {
    pieces.push(clock.nearText(candidate) ? { kind: "time" } : { kind: "text", text: candidate });
  } else {
    const [, ms] = STREAM_ID.exec(candidate) ?? [];
    if (ms === undefined) scanRun(candidate, clock, pieces);
    else
      pieces.push(
        clock.nearMs(Number(ms)) ? { kind: "id", key: candidate, form: "t", rank: "", order: "" } : { kind: "text", text: candidate },
      );
  }
}

function scanRun(run: string, clock: Clock, pieces: Piece[]): void {
  let done = 0;
  let holdsUuid = false;
  for (const match of run.matchAll(UUID)) {
    holdsUuid = true;
    scanTokens(run.slice(done, match.index), clock, pieces);
    const hex = match[0].replaceAll("-", "");
    const piece = uuidPiece(hex, /[A-F]/.test(hex) ? "U" : "u");
    pieces.push(piece ?? { kind: "text", text: match[0] });
    done = match.index + match[0].length;
  }
  if (holdsUuid) scanTokens(run.slice(done), clock, pieces);
  else scanTokens(run, clock, pieces);
}

/**
 * Splits a word that contains no UUIDs. The whole word may be an id, because ids of nanoid contain dashes. Otherwise, its parts are tried, to find
 * the id in `ord_<id>`.
 */
function scanTokens(run: string, clock: Clock, pieces: Piece[]): void {
  const separated = /[_-]/.test(run);
  // A random token may contain a separator near its beginning by chance, but the text before that separator hardly ever reads like a word.
  const [, prefix, token] = (separated ? PREFIXED.exec(run) : null) ?? [];
  const named = token !== undefined && readsLikeWord(prefix!.slice(0, -1)) ? tokenPiece(token, clock) : null;
  if (named !== null) {
    pieces.push({ kind: "text", text: prefix! }, named);
    return;
  }
  const whole = tokenPiece(run, clock);
  if (whole !== null) pieces.push(whole);
  else if (!separated) pieces.push({ kind: "text", text: run });
  else for (const part of run.split(/([_-])/)) pieces.push(tokenPiece(part, clock) ?? { kind: "text", text: part });
}

/**
 * Splits a JSON Web Token. The token identifies its user, so it is not renamed: tokens of two users remain different, and tokens of one user remain
 * equal. The token's times are left out, and so is the signature, because it follows from the header and the claims.
 */
function scanJwt(token: string, clock: Clock, pieces: Piece[]): void {
  const [header, payload] = token.split(".");
  try {
    const claims = JSON.parse(Buffer.from(payload!, "base64url").toString()) as Record<string, unknown>;
    for (const claim of ["iat", "exp", "nbf"]) delete claims[claim];
    pieces.push({ kind: "mark", name: "jwt" });
    scanText(`${Buffer.from(header!, "base64url").toString()}.${JSON.stringify(claims)}`, clock, pieces);
    pieces.push({ kind: "mark", name: "signature" });
  } catch {
    pieces.push({ kind: "text", text: token });
  }
}
