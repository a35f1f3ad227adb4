import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { differingWords, splitAtWords } from "../../../../src/state/values/words.ts";

const HEADER = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9";
const [ONE, OTHER] = [`${HEADER}.eyJpZCI6ImExIn0.b-bX_1`, `${HEADER}.eyJpZCI6ImMyIn0.dd3`];

/** Returns a text whose words that an experiment found have names. */
function renamed(text: string, other: string): string {
  const pairs = differingWords(text, other);
  if (pairs.some(({ after, a }) => after === "" && a === text)) return "<id>";
  const parts = splitAtWords(text, (word, after) => (pairs.some((pair) => pair.after === after) ? `<id ${word.length}>` : undefined));
  return (parts ?? []).map(({ text: part, found }) => found ?? part).join("");
}

describe("a UUID", () => {
  const [A, B] = ["019ac7f3-1b2c-7abc-8def-0123456789ab", "019ac7f3-9e01-7001-9aaa-ba9876543210"];

  it("is one word, although UUIDs of version 7 begin with the same groups", () => {
    expect(differingWords(A, B)).toEqual([{ after: "", a: A, b: B }]);
    expect(differingWords(`/files/${A}.png`, `/files/${B}.png`)).toEqual([{ after: "files", a: A, b: B }]);
    expect(renamed(`file-${A}`, `file-${B}`)).toBe("file-<id 36>");
    expect(renamed(`${A} x`, `${B} x`)).toBe("<id>");
    expect(renamed(`see ${A} and ${B}`, `see ${B} and ${A}`)).toBe("see <id 36> and <id 36>");
  });

  it("that stays is before a word like any other text", () => {
    expect(renamed(`${A}/k3x9`, `${A}/z8w1`)).toBe(`${A}/<id 4>`);
  });
});

describe("a signed token", () => {
  it("is one word, although each begins with the same header", () => {
    expect(renamed(ONE, OTHER)).toBe("<id>");
    expect(renamed(`Bearer ${ONE}`, `Bearer ${OTHER}`)).toBe(`Bearer <id ${ONE.length}>`);
    expect(renamed(`see ${ONE} here`, `see ${OTHER} here`)).toBe(`see <id ${ONE.length}> here`);
  });

  it("is not a hash with dots in it", () => {
    const hashes = [
      "$2a$10$WgmJQ4HNOe5sUAeA3fSWBO.tKvKB1kY0sGax.OC25E7u9Yj9hEs9O",
      "$2a$10$Jx/3bVbGpTKwLQ1k0Zy0peJqC5yL8cO3mQy7o2n1r6s5t4u3v2w1x",
    ];
    expect(renamed(hashes[0]!, hashes[1]!)).toBe("$2a$10$<id 53>");
    expect(renamed(hashes[1]!, hashes[0]!)).toBe("$2a$10$<id 53>");
  });

  it("is no reason to take more than the differing part of a path", () => {
    expect(renamed("/files/2026/a-1.png", "/files/2026/b_22_1.png")).toBe("/files/2026/<id 3>.png");
    expect(renamed("user_V1St-GXR", "user_Z5jdHi6")).toBe("user_<id 8>");
  });
});

describe("an id in base64url", () => {
  const ids = ["k3x9Qw", "-k3x9Q", "_k3-x9", "k3_x9-", "8f-2Bx", "--a_b9", "Zz81-_"];
  it.each(["s:", "sess:", "sess_", "cart:sess-"])("is one word after %s, wherever it has dashes", (prefix) => {
    for (const [a, b] of ids.flatMap((one) => ids.filter((other) => other !== one).map((other) => [one, other] as const))) {
      // A store that holds only the id gives the same pair, except for dashes with which both ids begin.
      const pairs = differingWords(prefix + a, prefix + b);
      const common = a.length - pairs[0]!.a.length;
      expect(pairs).toEqual([{ after: /[a-z]+(?=.$)/.exec(prefix)![0], a: a.slice(common), b: b.slice(common) }]);
      expect(a.slice(0, common)).toBe(b.slice(0, common));
      expect(renamed(prefix + a, prefix + b)).toBe(`${prefix}<id 6>`);
    }
  });
});

describe("a key with an id and a secret", () => {
  const HEX = ["0a1b2c3d4e5f6071", "8f9e0d1c2b3a4958"] as const;
  const SECRETS = ["k3x9QwAb", "k3-9Qw_b", "-k3x9QwA", "_k3x9Qw-", "8f-2Bx__", "Zz81aB7c"];
  const pairsOf = <T>(all: readonly T[]) =>
    all.flatMap((one) => all.filter((other) => other !== one).map((other) => [one, other] as const));

  it.each([".", ":", "/", "|"])("has two words after a prefix if %s separates them", (separator) => {
    for (const [one, other] of pairsOf(SECRETS)) {
      expect(renamed(`sk_${HEX[0]}${separator}${one}`, `sk_${HEX[1]}${separator}${other}`)).toBe(`sk_<id 16>${separator}<id 8>`);
      expect(renamed(`Bearer sk_live_${HEX[0]}${separator}${one}`, `Bearer sk_live_${HEX[1]}${separator}${other}`)).toBe(
        `Bearer sk_live_<id 16>${separator}<id 8>`,
      );
      const [UUID_A, UUID_B] = ["6f1c2b3a-0d4e-4f5a-8b6c-7d8e9f0a1b2c", "019ac7f3-1b2c-4abc-8def-0123456789ab"];
      expect(renamed(`key_${UUID_A}${separator}${one}`, `key_${UUID_B}${separator}${other}`)).toBe(`key_<id 36>${separator}<id 8>`);
    }
  });

  it("has one word without a prefix, or if _ separates them", () => {
    for (const [one, other] of pairsOf(SECRETS)) {
      for (const separator of [".", ":"]) expect(renamed(`${HEX[0]}${separator}${one}`, `${HEX[1]}${separator}${other}`)).toBe("<id>");
      expect(renamed(`Bearer ${HEX[0]}.${one}`, `Bearer ${HEX[1]}.${other}`)).toBe("Bearer <id 25>");
      expect(renamed(`sk_live_${HEX[0]}_${one}`, `sk_live_${HEX[1]}_${other}`)).toBe("sk_live_<id 25>");
      expect(renamed(`ghp_${one}`, `ghp_${other}`)).toBe("ghp_<id 8>");
    }
  });

  it("keeps data that is equal both times", () => {
    const data = Buffer.from('{"plan":"gold"}').toString("base64url");
    expect(renamed(`sk_${HEX[0]}.${data}`, `sk_${HEX[1]}.${data}`)).toBe(`sk_<id 16>.${data}`);
    expect(renamed(`sk_${HEX[0]}.${data}.${SECRETS[0]}`, `sk_${HEX[1]}.${data}.${SECRETS[1]}`)).toBe(`sk_<id 16>.${data}.<id 8>`);
  });
});

describe("an id in base64", () => {
  const ids = ["k3x9Qw+b", "Zk/9Q+wA", "/h3x9Qwd", "b3x9Qw==", "8f/2Bx/+", "+/a/b9aB", "Yz81aB7c"];
  it.each(["sess_", "sess-", "sess:", "a/sess_", "sess."])("is one word after %s, wherever it has other characters", (prefix) => {
    for (const [a, b] of ids.flatMap((one) => ids.filter((other) => other !== one).map((other) => [one, other] as const))) {
      expect(differingWords(prefix + a, prefix + b).length).toBe(1);
      expect(renamed(prefix + a, prefix + b), b).toBe(`${prefix}<id 8>`);
    }
  });
});

describe("a word before a counter", () => {
  it("is generated without the counter", () => {
    expect(renamed("732722:0", "119283:0")).toBe("<id 6>:0");
    expect(renamed("Zk3x9q|12", "p0Lw2e|12")).toBe("<id 6>|12");
  });

  const IDS: readonly (readonly [name: string, a: string, b: string])[] = [
    ["a UUID", "6f1c2b3a-0d4e-4f5a-8b6c-7d8e9f0a1b2c", "019ac7f3-1b2c-4abc-8def-0123456789ab"],
    ["a ULID", "01KB7T9Z0Q3W5E8R1T4Y6U2I9P", "01KB7TA1M2N4B6V8C0X2Z4L6K8"],
    ["a nanoid", "V1StGXR8_Z5jdHi6B-myT", "k3-9Qw_bV1StGXR8_Z-7"],
  ];

  it.each(IDS)("is generated without the counter, whatever separates them: %s", (_name, a, b) => {
    for (const rest of [":0", "|12", "/2", "#3", ".4", "=5", "-6", "_7", "-v3", ":v10"]) {
      expect(renamed(a + rest, b + rest), rest).toBe(`<id ${a.length}>${rest}`);
      expect(renamed(b + rest, a + rest), rest).toBe(`<id ${b.length}>${rest}`);
    }
    expect(renamed(`${a}-6`, `${b}-7`)).toBe("<id>");
    expect(renamed(`${a}-6`, b)).toBe("<id>");
    expect(renamed(a, b)).toBe("<id>");
  });

  it.each(IDS)("is found as a known word inside a longer text, unless the text with the counter is known: %s", (_name, a) => {
    const split = (text: string, ...known: readonly string[]): string | undefined =>
      splitAtWords(text, (word) => (known.includes(word) ? "<id>" : undefined))
        ?.map(({ text: part, found }) => found ?? part)
        .join("");
    for (const rest of [":0", "/2", ".4", "-6", "_7", "-v3"]) {
      expect(split(`/items/${a}${rest}?x=1`, a), rest).toBe(`/items/<id>${rest}?x=1`);
      expect(split(`see ${a}${rest}`, a), rest).toBe(`see <id>${rest}`);
    }
    expect(split(`/items/${a}-6`, a, `${a}-6`)).toBe("/items/<id>");
  });

  it("is one word with a number that differs, or without a number", () => {
    expect(renamed("732722:0", "119283:1")).toBe("<id>");
    expect(renamed("k3x9:ab", "z8w1:ab")).toBe("<id>");
  });
});

describe("times in a text", () => {
  const at = (second: number): string => `2026-11-26T21:00:${String(second).padStart(2, "0")}.123Z`;

  it("are words of their own, so that each has its distance from the step", () => {
    expect(renamed(`${at(1)}/${at(9)}`, `${at(4)}/${at(12)}`)).toBe("<id 24>/<id 24>");
    expect(renamed(`held until ${at(1)} by k3x9`, `held until ${at(4)} by q7w2`)).toBe("held until <id 24> by <id 4>");
    const range = (from: string, to: string): string => `["2026-11-26 21:00:${from}+00","2026-11-26 22:00:${to}+00")`;
    expect(renamed(range("01", "01"), range("04.5", "04.5"))).toBe('["<id 22>","<id 22>")');
    // A time that is equal in both texts is no difference.
    expect(renamed(`from ${at(1)} k3x9`, `from ${at(1)} q7w2`)).toBe(`from ${at(1)} <id 4>`);
    expect(renamed(`k3x9 ${at(1)}`, `q7w2 ${at(2)}`)).toBe("<id>");
  });
});

describe("words of a text", () => {
  it("are found in a very long text, too", () => {
    const text = `${'{"name":"value","next":'.repeat(40_000)}"id-1"${"x".repeat(200_000)} ${"-_".repeat(100_000)}`;
    const parts = splitAtWords(text, (word, after) => (word === "id-1" && after === "next" ? "found" : undefined));
    expect(parts!.map(({ text: part }) => part).join("")).toBe(text);
    expect(parts!.filter(({ found }) => found !== undefined).length).toBe(1);
  });

  it("come with the run of letters or digits before them, and with the separator if they begin inside a word", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b1", "-", "_", ".", " ", "/", "é"), { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        const seen: [string, string][] = [];
        splitAtWords(text, (word, after) => void seen.push([word, after]));
        for (const [word, after] of seen) {
          const places = [...text.split("").keys()].filter((at) => text.startsWith(word, at));
          expect(
            places.map(
              (at) =>
                text
                  .slice(0, at)
                  .match(/[A-Za-z0-9]+/g)
                  ?.at(-1) ?? "^",
            ),
          ).toContain(/^\^?[A-Za-z0-9]*/.exec(after)![0]);
        }
      }),
    );
  });
});
