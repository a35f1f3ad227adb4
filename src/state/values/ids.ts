import type { Clock } from "./clock.ts";
import type { IdPiece } from "../canonical/pieces.ts";
import { looksRandom } from "./randomness.ts";

const HEX = /^(?:[0-9a-f]+|[0-9A-F]+)$/;
const CROCKFORD = /^[0-7](?:[0-9A-HJKMNP-TV-Z]{25}|[0-9a-hjkmnp-tv-z]{25})$/;
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * Returns the id of a UUID that is given as 32 hex digits. Returns `null` if the UUID is not generated: nil, name-based (versions 3 and 5), or
 * written by a person.
 */
export function uuidPiece(hex: string, form: string): IdPiece | null {
  const key = hex.toLowerCase();
  const version = key[12];
  if (!"89ab".includes(key[16]!) || distinctDigits(key) < 7) return null;
  if (version === "4") return { kind: "id", key, form, rank: "", order: "" };
  if (version === "6" || version === "7") return { kind: "id", key, form, rank: `u${version}`, order: key };
  // A version 1 UUID begins with the low bits of its time. Put the high bits first in the sort key, so that ids are sorted by time.
  if (version === "1")
    return { kind: "id", key, form, rank: "u1", order: key.slice(13, 16) + key.slice(8, 12) + key.slice(0, 8) + key.slice(16) };
  return null;
}

function distinctDigits(hex: string): number {
  let seen = 0;
  for (let i = 0; i < hex.length; i++) seen |= 1 << ((hex.charCodeAt(i) % 39) % 16);
  let count = 0;
  for (; seen !== 0; seen &= seen - 1) count++;
  return count;
}

/** Returns the id of a token of letters and digits. Returns `null` if it is uncertain that the token is an id. */
export function tokenPiece(token: string, clock: Clock): IdPiece | null {
  const { length } = token;
  if (length < 16) return null;
  if (length === 26 && CROCKFORD.test(token) && clock.nearMs(ulidTime(token))) {
    const key = token.toUpperCase();
    return { kind: "id", key, form: key === token ? "l" : "L", rank: "ul", order: key };
  }
  if (!HEX.test(token)) return looksRandom(token) ? { kind: "id", key: token, form: "t", rank: "", order: "" } : null;
  const key = token.toLowerCase();
  const form = key === token ? "h" : "H";
  if (length === 24 && clock.nearMs(Number.parseInt(key.slice(0, 8), 16) * 1000)) return { kind: "id", key, form, rank: "o", order: key };
  if (length === 32) {
    const uuid = uuidPiece(key, form);
    if (uuid !== null && (uuid.rank === "" || (uuid.rank === "u7" && clock.nearMs(Number.parseInt(key.slice(0, 12), 16))))) return uuid;
  }
  return looksRandom(token) ? { kind: "id", key, form, rank: "", order: "" } : null;
}

/** The length of the shortest id that contains a time, and the length of the beginning that such ids of one step share. */
const SHORTEST_TIMED = 15;
const SHARED = 7;
/** The length of the time in a ULID, and of the beginning of its random part. Ascending ULIDs of one millisecond have the same beginning. */
const ULID_TIME = 10;
const ULID_DRAWN = 2;

/**
 * Returns the positions of ids that one step generated, in the order of generation. Returns `undefined` for ids that contain no time. (ULIDs, UUIDs
 * of version 7, ObjectIds and snowflakes contain a time.) Two ULIDs of one millisecond whose random parts begin differently have the same position,
 * because their order is random.
 */
export function positionsOfTimed(texts: readonly string[]): ReadonlyMap<string, number> | undefined {
  const sorted = [...texts].sort();
  const [first = "", last = ""] = [sorted[0], sorted.at(-1)];
  if (sorted.length < 2 || first.length < SHORTEST_TIMED || sorted.some(({ length }) => length !== first.length)) return undefined;
  const shared = first.slice(0, SHARED);
  if (!last.startsWith(shared) || !/\d/.test(shared)) return undefined;
  let position = 0;
  return new Map(
    sorted.map((text, index) => {
      const before = sorted[index - 1] ?? text;
      const isDrawn =
        CROCKFORD.test(text) && text.startsWith(before.slice(0, ULID_TIME)) && !text.startsWith(before.slice(0, ULID_TIME + ULID_DRAWN));
      if (index > 0 && !isDrawn) position++;
      return [text, position];
    }),
  );
}

function ulidTime(token: string): number {
  let ms = 0;
  for (let i = 0; i < 10; i++) ms = ms * 32 + ALPHABET.indexOf(token[i]!.toUpperCase());
  return ms;
}
