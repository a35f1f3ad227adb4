import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full } from "../sizes.ts";
import { emptyFolder, only, root, seqqa, writtenIn, type Explored } from "../support/e2e.ts";
import { template } from "../support/store-templates.ts";

const STORES = ["sqlite", "postgres", "mysql", "redis"] as const;
type Store = (typeof STORES)[number];

/** Each defect of fixtures/accounts, the rule that finds it, and a part of its message. */
const DEFECTS: readonly (readonly [bug: string, invariant: string, message: string])[] = [
  ["visitor", "single_use_reset_password", "in another session"],
  ["others", "session_ends", "another session of the user still works"],
  ["attempt", "single_use_reset_password", "after attempts with wrong fields were refused"],
  ["relogin", "session_ends", "once the user has logged in again"],
  ["kept", "single_use_reset_password", "when it was sent again: the second request changed the stores"],
  ["refused", "single_use_reset_password", "after it was refused"],
  ["reissue", "single_use_reset_password", "after forgot_password was called again"],
  ["logout", "session_ends", "the session of the client still works"],
  ["refresh", "session_ends", "can still be renewed"],
  ["renewal", "session_ends", "logout was answered 204, and another session of the user, ended in the same way, can still be renewed"],
  ["suspended", "session_ends", "suspend was answered 204, and another session of the user still works"],
];

async function explored(store: Store, bug: string): Promise<{ readonly status: number | null; readonly found: Explored }> {
  const folder = emptyFolder();
  const config = join(root, "fixtures/accounts", store === "sqlite" ? "seqqa.yaml" : "store.yaml");
  const isDefect = DEFECTS.some(([name]) => name === bug);
  const args = [
    "run",
    join(root, "fixtures/accounts"),
    "--config",
    config,
    "--output",
    folder,
    "--parallel",
    full ? "2" : "1",
    "--max-depth",
    full || isDefect ? "3" : "2",
    ...(isDefect && !full ? ["--bail"] : []),
  ];
  const { status } = await seqqa(args, { env: { BUG: bug, STORE_URL: store === "sqlite" ? "" : await template(store) } });
  return { status, found: only(writtenIn(folder)) };
}

/** At quick size one defect of each rule, on one store. unit/rules/single-use and unit/rules/session-ends have the others. */
const cases = DEFECTS.flatMap((defect, index) => {
  const stores = full ? STORES : index < 2 ? [STORES[index]!] : [];
  return stores.map((store) => [...defect, store] as const);
});

describe("what may be used once, and sessions that end", () => {
  it.each(full ? STORES : (["redis"] as const))("nothing is found in a correct API on %s", async (store) => {
    const { status, found } = await explored(store, "");
    expect(found.violations).toEqual([]);
    expect(found.errors).toEqual([]);
    expect(found.divergences).toEqual([]);
    expect(found.races).toEqual([]);
    expect(found.raceCoverage?.probed).toBeGreaterThan(0);
    expect(status).toBe(0);
  });

  it.each(cases)("the defect %s is found by %s: %s, on %s", async (bug, invariant, message, store) => {
    const { status, found } = await explored(store, bug);
    expect(found.violations.filter((one) => one.invariant !== invariant)).toEqual([]);
    expect(found.violations.map((one) => one.message).join("\n")).toContain(message);
    expect(found.violations.every(({ confirmed }) => confirmed)).toBe(true);
    expect(status).toBe(1);
  });

  it.each(full ? STORES : (["sqlite"] as const))(
    "what is accepted twice only at the same time is found on %s, although races are off",
    async (store) => {
      const { status, found } = await explored(store, "race");
      expect(found.races).toMatchObject([{ first: "reset_password", second: "reset_password", severity: "high" }]);
      expect(found.races[0]!.message).toMatch(/^single_use_reset_password: both calls were answered 204/);
      expect(status).toBe(1);
    },
  );
});
