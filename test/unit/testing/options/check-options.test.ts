import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { checkOptions } from "../../../../src/testing/options/check-options.ts";
import type { WorldOptions } from "../../../../src/testing/options/world-options.ts";

const PG = "postgresql://localhost/shop";

describe("bad input", () => {
  test.each<[name: string, options: unknown, code: string, message: string, hint: string]>([
    ["no options", undefined, "WORLD_OPTION_INVALID", "openWorld() was called without options.", "Write openWorld"],
    ["an unset variable", { dbUrl: undefined }, "WORLD_OPTION_INVALID", "The store db of openWorld() has no URL.", "environment variable"],
    ["an empty URL", { stores: { cache: { url: " " } } }, "WORLD_OPTION_INVALID", "The store cache of openWorld() has no URL.", "variable"],
    ["no store", { stores: {} }, "WORLD_OPTION_INVALID", "The option stores of openWorld() is empty.", "Name at least one store"],
    ["a misspelt option", { dburl: PG }, "WORLD_OPTION_INVALID", 'openWorld() has no option "dburl".', "Did you mean dbUrl?"],
    ["both", { dbUrl: PG, stores: { db: PG } }, "WORLD_OPTION_INVALID", "openWorld() got both options dbUrl and stores.", "Keep only one"],
    ["an unknown scheme", { dbUrl: "mongodb://u:hunter2@h/d" }, "WORLD_OPTION_INVALID", "a URL that seqqa does not support", "Begin the URL with one of: sqlite:"],
    ["no URL at all", { dbUrl: "postgresql://[" }, "WORLD_OPTION_INVALID", "a URL that seqqa does not support", "Begin the URL with one of: sqlite:"],
    ["a store of seqqa's own", { stores: { mail: "stub://smtp" } }, "WORLD_OPTION_INVALID", "a URL that seqqa does not support", "Begin the URL with one of: sqlite:"],
    ["SQLite in memory", { dbUrl: "sqlite::memory:" }, "WORLD_OPTION_INVALID", "The SQLite URL of store db of openWorld() names no file.", "in memory"],
    ["a checkpoint of another store", { stores: { db: { url: PG, checkpoint: "dump" } } }, "WORLD_OPTION_INVALID", 'the checkpoint "dump"', "auto, journal, clone"],
    ["a shared connection", { stores: { db: { url: PG, checkpoint: "savepoint" } } }, "WORLD_OPTION_INVALID", '"savepoint"', "auto, journal, clone"],
    ["a queue in place", { stores: { jobs: "nats://localhost/test" }, inPlace: true }, "WORLD_OPTION_INVALID", "in place", "copy"],
    ["inPlace as text", { dbUrl: PG, inPlace: "yes" }, "WORLD_OPTION_INVALID", "The option inPlace of openWorld() must be true or false.", "copies"],
    ["lateWrites", { dbUrl: PG, lateWrites: "keep" }, "WORLD_OPTION_INVALID", "The option lateWrites of openWorld() must be error or undo.", "error"],
    ["allow as text", { dbUrl: PG, allow: "shop" }, "WORLD_OPTION_INVALID", "allow of openWorld() must be a list", "allow:"],
    ["a worker below 0", { dbUrl: PG, worker: -1 }, "WORLD_OPTION_INVALID", "The option worker of openWorld() must be an integer of at least 0.", "remove the option"],
    ["in place without consent", { dbUrl: PG, inPlace: true }, "STORE_NOT_ALLOWED", 'The world\'s store db is the store "shop", which seqqa would use in place', 'allow: ["shop"]'],
    ["another machine", { dbUrl: "postgresql://db.example.com/shop" }, "STORE_NOT_ALLOWED", "on db.example.com, which is another machine", 'allow: ["shop"]'],
  ])("%s", (_name, options, code, message, hint) => {
    let thrown: unknown;
    try {
      checkOptions(options as WorldOptions, {});
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code, message: expect.stringContaining(message), hint: expect.stringContaining(hint), exitStatus: 2 });
    expect((thrown as Error).message).not.toContain("hunter2");
  });
}); // prettier-ignore

describe("consent", () => {
  test.each<[name: string, options: WorldOptions, env: Readonly<Record<string, string>>]>([
    ["a name for tests", { dbUrl: "postgresql://localhost/shop_test", inPlace: true }, {}],
    ["allow", { dbUrl: PG, inPlace: true, allow: ["shop"] }, {}],
    ["SEQQA_ALLOW_DB", { dbUrl: PG, inPlace: true }, { SEQQA_ALLOW_DB: "other, shop" }],
    ["a copy on this machine", { dbUrl: PG }, {}],
  ])("%s permits", (_name, options, env) => {
    expect(checkOptions(options, env).stores["db"]!.url).toBe(options.dbUrl);
  });
});

test("relative files are resolved, and settings kept", () => {
  const { stores, inPlace, lateWrites } = checkOptions(
    { stores: { db: { url: "sqlite:./a.db", checkpoint: "copy" }, cache: "redis://localhost/1" } },
    {},
  );
  expect(stores).toEqual({ db: { url: `sqlite:${resolve("a.db")}`, checkpoint: "copy" }, cache: { url: "redis://localhost/1" } });
  expect([inPlace, lateWrites]).toEqual([false, "error"]);
});

test.each<[env: Readonly<Record<string, string>>, given: number | undefined, worker: number]>([
  [{}, undefined, 0],
  [{ VITEST_POOL_ID: "3", JEST_WORKER_ID: "9" }, undefined, 3],
  [{ TEST_PARALLEL_INDEX: "0", JEST_WORKER_ID: "2" }, undefined, 0],
  [{ JEST_WORKER_ID: "2" }, undefined, 2],
  [{ JEST_WORKER_ID: "x" }, undefined, 0],
  [{ VITEST_POOL_ID: "3" }, 1005, 5],
])("worker number of %j, given %s: %s", (env, worker, expected) => {
  expect(checkOptions({ dbUrl: PG, worker }, env).worker).toBe(expected);
});
