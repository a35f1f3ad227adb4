import { randomUUID } from "node:crypto";

/** Matches numbers with 16 or more digits. Integers with fewer digits are exact as JavaScript numbers. */
const LONG_NUMBER = /\d{16}/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/**
 * The key of objects that represent integers which a JavaScript number cannot represent. Such an object has no other key. The key is random, so that
 * it cannot occur in the JSON of a target.
 */
const MARK = `integer-${randomUUID()}`;

/** Parses JSON. Integers that a number cannot represent exactly become `bigint`, so that two long ids are never confused. @throws SyntaxError */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!LONG_NUMBER.test(text)) return value;
  const marked = markLongIntegers(text);
  return marked === text ? value : JSON.parse(marked, unmark);
}

/** Replaces each integer beyond 2^53 in a JSON text with an object that contains its digits as text. The text must be valid JSON. */
function markLongIntegers(text: string): string {
  let marked = "";
  let from = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === 34) at = endOfString(text, at);
    else if (code === 45 || (code >= 48 && code <= 57)) {
      NUMBER.lastIndex = at;
      const number = NUMBER.exec(text)![0];
      if (/^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number))) {
        marked += `${text.slice(from, at)}{"${MARK}":"${number}"}`;
        from = at + number.length;
      }
      at += number.length;
    } else at++;
  }
  return marked + text.slice(from);
}

function endOfString(text: string, quote: number): number {
  for (let at = quote + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === 92) at++;
    else if (code === 34) return at + 1;
  }
}

function unmark(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, MARK)) return value;
  return BigInt((value as Record<string, string>)[MARK]!);
}
