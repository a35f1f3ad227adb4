import fc from "fast-check";

const SURROGATES = { from: 0xd800, count: 0x800 };

/**
 * Any character, as a unit of `fc.string()`. It does what the unit "binary" of fast-check does, which fills a map with all 1.1 million characters:
 * that takes a second in each thread.
 */
export const codePoint: fc.Arbitrary<string> = fc.integer({ min: 0, max: 0x10ffff - SURROGATES.count }).map(
  (number) => String.fromCodePoint(number < SURROGATES.from ? number : number + SURROGATES.count),
  (text) => {
    const number = typeof text === "string" ? text.codePointAt(0) : undefined;
    if (number === undefined || text !== String.fromCodePoint(number)) throw new Error("Not one character.");
    return number < SURROGATES.from ? number : number - SURROGATES.count;
  },
);
