import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { worldFixture } from "../../../../src/testing/playwright/index.ts";
import type { TestWorld } from "../../../../src/testing/index.ts";
import { api, scratchFile } from "../../../support/sqlite-scratch.ts";

// Playwright's runner is not installed: its documented signature, `(fixtures, use, info)` with `[function, options]`, is played here.
type Fixture<Fixtures, T, Info> = readonly [(fixtures: Fixtures, use: (value: T) => Promise<void>, info: Info) => Promise<void>, object];

async function play<Fixtures, T, Info>(
  [fixture]: Fixture<Fixtures, T, Info>,
  { fixtures, info }: { readonly fixtures: Fixtures; readonly info: Info },
  body: (value: T) => Promise<void>,
): Promise<void> {
  await fixture(fixtures, body, info);
}

/** Playwright takes the names of the fixtures that a fixture needs from its text, and refuses a first parameter that is no pattern. */
const needs = ([fixture]: readonly [unknown, object]): string | undefined => /^async \(\s*\{\s*([^}]*?)\s*\}/.exec(String(fixture))?.[1];

test("one world for a worker, one checkpoint around each test", async () => {
  const file = scratchFile();
  api(file, "create table orders(id integer primary key)").close();
  const { world, checkpoint } = worldFixture({ dbUrl: `sqlite:${file}` });
  expect([world[1], checkpoint[1], needs(world), needs(checkpoint)]).toEqual([{ scope: "worker" }, { auto: true }, "", "world"]);
  const worlds: TestWorld[] = [];
  await play(world, { fixtures: {}, info: { parallelIndex: 4 } }, async (made) => {
    worlds.push(made);
    const db = new Database(made.dbUrl.slice("sqlite:".length));
    const count = (): unknown => db.prepare("select count(*) from orders").pluck().get();
    for (const title of ["pays", "refunds"]) {
      await play(checkpoint, { fixtures: { world: made }, info: { titlePath: ["shop.spec.ts", title] } }, async ({ name }) => {
        expect([name, count()]).toEqual([`shop.spec.ts > ${title}`, 0]);
        db.exec("insert into orders default values");
      });
    }
    const failing = play(checkpoint, { fixtures: { world: made }, info: { titlePath: ["fails"] } }, async () => {
      db.exec("insert into orders default values");
      throw new Error("the test failed");
    });
    await expect(failing).rejects.toThrow("the test failed");
    expect(count()).toBe(0);
    db.close();
  });
  expect(worlds[0]!.worker).toBe(4);
  await expect(worlds[0]!.checkpoint()).rejects.toMatchObject({ code: "WORLD_CLOSED" });
});
