import Database from "better-sqlite3";
import { describe, expect, test as base } from "vitest";
import { worldFixture, type VitestWorldFixture } from "../../../../src/testing/vitest/index.ts";
import { api, scratchFile } from "../../../support/sqlite-scratch.ts";

const file = scratchFile();
api(file, "create table orders(id integer primary key)").close();

// The types fit the runner's: `npm run check -- types` compiles this.
const test = base.extend<VitestWorldFixture>(worldFixture({ dbUrl: `sqlite:${file}` }));

describe("orders", () => {
  for (const name of ["first", "second"]) {
    test(name, ({ world, checkpoint }) => {
      expect(checkpoint.name).toMatch(new RegExp(`orders > ${name}$`));
      const db = new Database(world.dbUrl.slice("sqlite:".length));
      expect(db.prepare("select count(*) from orders").pluck().get()).toBe(0);
      db.exec("insert into orders default values");
      db.close();
    });
  }
});
