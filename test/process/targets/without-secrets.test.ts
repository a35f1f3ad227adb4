import { describe, expect, it } from "vitest";
import { passwordsOf, withoutSecrets } from "../../../src/targets/without-secrets.ts";

describe("the passwords of stores in what a target prints", () => {
  it("are taken from URLs as they are written and as they are meant", () => {
    expect(
      passwordsOf(["postgresql://u:a%2Fb@h/d", "redis://:cache-pw@h:1/0", "mysql://u@h/d?password=in%20query&x=1", "sqlite:x.db"]),
    ).toEqual(["in%20query", "cache-pw", "in query", "a%2Fb", "a/b"]);
    expect(passwordsOf(["postgresql://u:100%@h/d"])).toEqual(["100%"]);
  });

  it.each([
    ["connect postgresql://u:other@h/d", ["x"], "connect postgresql://u:***@h/d"],
    ["user said pw1: 'pw1', pw12", ["pw1"], "user said ***: '***', pw12"],
    ["no a.c, but abc", ["a.c"], "no ***, but abc"],
    ["xlong-secretx", ["long-secret"], "x***x"],
    ["costs $& more", ["$&"], "costs *** more"],
  ])("are hidden in %j", (text, passwords, shown) => {
    expect(withoutSecrets(text, passwords)).toBe(shown);
  });
});
