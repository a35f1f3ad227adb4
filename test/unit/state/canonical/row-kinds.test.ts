import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { patternOf } from "../../../../src/state/canonical/row-kinds.ts";

const pattern = (text: string): string => patternOf(text, () => null);

describe("the kind of a key", () => {
  it("is the same whatever its id is, also where a part of that is letters alone", () => {
    const keys = ["sales:0b1e6f70-11aa-4bcd-8eef-0123456789ab", "sales:deadbeef-abeb-4bcd-beef-abcdefabcdef", "sales:abcdefab", "sales:17"];
    expect(new Set(keys.map(pattern))).toEqual(new Set(["sales:*"]));
  });

  it("is the same for ids of random letters, and keeps names in camel case", () => {
    expect(["cart:aBcKdEfGhi", "cart:VtQzRsWxYb", "cart:xYzAbCdE"].map(pattern)).toEqual(["cart:*", "cart:*", "cart:*"]);
    const names = ["orderItems", "userProfileList", "ShoppingCart", "PRODUCTION", "settings"];
    expect(names.map(pattern)).toEqual(names);
  });

  it("is the same for random bytes in base64url, and keeps the words before them and words joined with dashes", () => {
    const random = (seed: number): string => createHash("sha256").update(String(seed)).digest().subarray(0, 24).toString("base64url");
    const kinds = Array.from({ length: 300 }, (_, seed) => pattern(`sess:user_session_${random(seed)}`));
    // The letters and digits of one token in a hundred look like words by chance.
    expect(kinds.filter((kind) => kind === "sess:user_session_*").length).toBeGreaterThan(290);
    expect(pattern("/users/42-orderItem-7-Totals/of-March-2026")).toBe("/users/*-orderItem-*-Totals/of-March-*");
  });

  it("does not take the letters before the first dash of an id for a word", () => {
    expect(pattern("sess:jhlsrn-Qk3x9Rt7bVq2ZsW4yLpA8cDf")).toBe("sess:*");
    expect(pattern("sess:pliypb-JA97C27LISf7zvK1yZa6uSgmXZfSoCbDyDpI")).toBe("sess:*");
    expect(pattern("order-Qk3x9Rt7bVq2ZsW4yLpA8cDf")).toBe("order-*");
  });

  it("keeps words that only look like hexadecimal numbers in part", () => {
    expect([pattern("feed:facade"), pattern("cafe-decade-face"), pattern("line_items")]).toEqual([
      "feed:facade",
      "cafe-decade-face",
      "line_items",
    ]);
  });
});
