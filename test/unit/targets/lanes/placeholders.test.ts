import { describe, expect, it } from "vitest";
import { SeqqaError } from "../../../../src/model/errors.ts";
import { shellWord } from "../../../../src/model/text/shell-word.ts";
import { fill, uses } from "../../../../src/targets/lanes/placeholders.ts";

const filling = {
  port: 3100,
  lane: 2,
  dbUrl: "postgres://ann:p%40ss%27%20w%22@db.test:5433/shop_lane2",
  dbPath: undefined,
  urls: {
    db: "postgres://ann:p%40ss%27%20w%22@db.test:5433/shop_lane2",
    plain: "postgresql://127.0.0.1/shop",
    maria: "mysql://root:@[::1]/shop%20one",
    cache: "redis://:secret@127.0.0.1/3",
    index: "redis://127.0.0.1",
    file: "sqlite:/tmp/a b.sqlite",
    socket: "postgres:///shop?host=/var/run/postgresql&user=ann",
  },
};

describe("placeholders", () => {
  it.each([
    ["{port} {lane}", "3100 2"],
    ["{db_host}:{db_port} {db_user} {db_password} {db_database}", `db.test:5433 ann p@ss' w" shop_lane2`],
    ["{host:db} {url:index}", "db.test redis://127.0.0.1"],
    ["{port:plain} {port:maria} {port:cache}", "5432 3306 6379"],
    ["{host:maria} {user:maria} [{password:maria}] {database:maria}", "::1 root [] shop one"],
    ["{password:cache} {database:cache} {database:index}", "secret 3 0"],
    ["{database:file}", "/tmp/a b.sqlite"],
    ["{host:socket} {user:socket} {database:socket}", "/var/run/postgresql ann shop"],
    ["{path:file}", "/tmp/a b.sqlite"],
    // They are the shell's, or the user's.
    ["${port} ${PORT} {other} {a,b} {x:y} {db_hosts} { PORT }", "${port} ${PORT} {other} {a,b} {x:y} {db_hosts} { PORT }"],
  ])("%s is filled with %s", (text, filled) => {
    expect(fill(text, filling)).toBe(filled);
  });

  it("are one word each in a command line", () => {
    expect(fill("run {db_password} {password:maria} {host:db}", filling, shellWord)).toBe(`run 'p@ss'\\'' w"' '' db.test`);
  });

  it.each([
    ["{password:plain}", "has no password"],
    ["{user:index}", "has no user"],
    ["{host:file}", "has no host"],
    ["{port:nothing}", 'declares no store "nothing"'],
    ["{db_path}", 'declares no store "db"'],
  ])("%s is an error: %s", (text, says) => {
    const filled = (): string => fill(text, filling);
    expect(filled).toThrow(SeqqaError);
    expect(filled).toThrow(`A value under target contains ${text}`);
    expect(filled).toThrow(says);
  });

  it("are known by their whole names", () => {
    expect(uses("PORT={port}", "port")).toBe(true);
    expect(uses("PORT={port:cache}", "port")).toBe(false);
  });
});
