import { describe, expect, it } from "vitest";
import { passwordsOf, withoutRepeats, withoutSecrets } from "../../../../src/model/text/url-secrets.ts";

describe("secrets of URLs", () => {
  it("are taken from URLs as they are written and as they are meant", () => {
    expect(
      passwordsOf(["postgresql://u:a%2Fb@h/d", "redis://:cache-pw@h:1/0", "mysql://u@h/d?password=in%20query&x=1", "sqlite:x.db"]),
    ).toEqual(["in%20query", "cache-pw", "in query", "a%2Fb", "a/b"]);
    expect(passwordsOf(["postgresql://u:100%@h/d"])).toEqual(["100%"]);
    expect(passwordsOf([`mysql://u:a'b "c@d@h/e`, "redis://:x/y@h:1/0?pwd=a=b#f"])).toEqual([`a'b "c@d`, "x/y", "a=b"]);
    expect(passwordsOf(["nats://token%2B@h:4222", "nats://h"])).toEqual(["token%2B", "token+"]);
    expect(passwordsOf(["https://h:8080/users/@me", "postgres://u@h/d", "no url: at all@x"])).toEqual([]);
  });

  it.each([
    ["connect postgresql://u:other@h/d", ["x"], "connect postgresql://u:***@h/d"],
    ["GET https://ghp_1234@h:1/@x: refused, as postgres://u@h/d is", [], "GET https://***@h:1/@x: refused, as postgres://u@h/d is"],
    ["mysql://u:a@b@h/d", [], "mysql://u:***@h/d"],
    [`mysql://u:a'b c@h/d`, ["a'b c"], "mysql://u:***@h/d"],
    ["Write redis://user:password@host:port", [], "Write redis://user:password@host:port"],
    ["user said pw1: 'pw1', pw12", ["pw1"], "user said ***: '***', pw12"],
    ["no a.c, but abc", ["a.c"], "no ***, but abc"],
    ["xlong-secretx", ["long-secret"], "x***x"],
    ["costs $& more", ["$&"], "costs *** more"],
    ["wrong last sequence: 0", [""], "wrong last sequence: 0"],
    ["connect nats://s3cr3t@h:4222", [], "connect nats://***@h:4222"],
  ])("are hidden in %j", (text, passwords, shown) => {
    expect(withoutSecrets(text, passwords)).toBe(shown);
  });
});

it("names a database once, with the user if one is known", () => {
  const urls = ["http://h:1", "postgresql://u@h/d", "postgresql://h/d", "postgresql://h/d2", "http://h:1", "/tmp/a@b.db"];
  expect(withoutRepeats(urls)).toEqual(["http://h:1", "postgresql://u@h/d", "postgresql://h/d2", "/tmp/a@b.db"]);
  // Two users may see different data.
  expect(withoutRepeats(["sqlite:/tmp/a.db", "/tmp/a.db", "sqlite:/tmp/b.db"])).toEqual(["/tmp/a.db", "sqlite:/tmp/b.db"]);
  expect(withoutRepeats(["mysql://u:***@h/d", "mysql://v@h/d", "mysql://h/d"])).toEqual(["mysql://u:***@h/d", "mysql://v@h/d"]);
});
