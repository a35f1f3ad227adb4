import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SeqqaError } from "../../../src/model/errors.ts";
import type { Leftover, RowImages } from "../../../src/model/stores/leftover.ts";
import { folderWith, seqqa } from "../../support/cli-harness.ts";

const ok = { ok: true, what: "node", says: "Node 20.19.0" };
const bad = { ok: false, what: "db: privileges", says: "may not create databases; GRANT CREATEDB" };

describe("seqqa doctor", () => {
  it("prints a line for each check and ends with 0 when nothing is missing", async () => {
    const { status, stdout, stderr } = await seqqa(["doctor"], { cwd: folderWith({}), checks: [ok] });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe("ok       node  Node 20.19.0\n\nAll checks passed: a run can start.\n");
  });

  it("ends with 3 when something is", async () => {
    const { status, stdout } = await seqqa(["doctor"], { cwd: folderWith({}), checks: [ok, bad] });
    expect(status).toBe(3);
    expect(stdout).toContain("problem  db: privileges  may not create databases; GRANT CREATEDB\n");
    expect(stdout).toContain("\n1 problem.\n");
  });

  it("prints one JSON document", async () => {
    const { status, stdout } = await seqqa(["doctor", "--json"], { cwd: folderWith({}), checks: [bad] });
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ checks: [bad], exitStatus: 3 });
  });

  it("lets nothing that a server says become terminal control", async () => {
    const { stdout } = await seqqa(["doctor"], { cwd: folderWith({}), checks: [{ ...ok, says: "v\u001b[2J1" }] });
    expect(stdout).not.toContain("\u001b");
  });
});

describe("seqqa clean", () => {
  it("says what was removed", async () => {
    const { status, stdout } = await seqqa(["clean"], { cwd: folderWith({}), removed: ["database seqqa_1f_lane0"] });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "removed database seqqa_1f_lane0\n" });
  });

  it("says that there was nothing", async () => {
    const { status, stdout } = await seqqa(["clean"], { cwd: folderWith({}) });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "Nothing to clean: no run left anything behind.\n" });
  });

  it("names a store that another run uses, and does not say that nothing was left", async () => {
    const inUse = ["Another run of seqqa is using the SQLite file shop.db (process 7 on here)."];
    const { status, stdout } = await seqqa(["clean", "--yes"], { cwd: folderWith({}), inUse });
    expect({ status, stdout }).toEqual({
      status: 3,
      stdout: `${inUse[0]!} seqqa clean did not change this store. If that run no longer exists, try again in a minute.\n`,
    });
  });
});

describe("seqqa clean, where something cannot be cleaned", () => {
  const failures = [new SeqqaError("STORE_UNREACHABLE", "No answer.", { hint: "Start the server.", exitStatus: 2 })];

  it.each([[["clean"]], [["clean", "--dry-run"]]])("%s names it once, and ends with 3", async (argv) => {
    const { status, stdout, stderr } = await seqqa(argv, { cwd: folderWith({}), removed: ["a thing"], failures });
    const removed = argv.length === 1 ? "removed a thing\n" : "would remove a thing\n";
    expect({ status, stdout, stderr }).toEqual({ status: 3, stdout: removed, stderr: "error: No answer.\nhint: Start the server.\n" });
  });

  it("names what belongs to others, which is no error", async () => {
    const { status, stdout } = await seqqa(["clean"], { cwd: folderWith({}), notAllowed: ["database x"] });
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: "not removed, because the user in the store's URL has no permission to remove it: database x\n",
    });
  });
});

describe("seqqa clean, where a run left rows in the user's own store", () => {
  const row = (table: string, id: number): RowImages => ({
    table,
    key: `id ${id}`,
    root: null,
    recorded: { id, status: "paid" },
    now: { id, status: "mine" },
  });
  const leftover = (keep: readonly RowImages[]): Leftover => ({
    store: "the SQLite file /x/shop\u001b.db",
    sinceMs: Date.UTC(2026, 10, 23, 5, 0, 0),
    recordedMs: Date.UTC(2026, 10, 23, 5, 0, 2),
    undo: [row("orders", 2), row("items", 1), row("orders", 3)],
    keep,
  });
  const left = [leftover([row("orders", 7)])];
  const SHOWN = `The SQLite file /x/shop\\x1b.db contains rows that a killed run changed (the run began 2026-11-23T05:00:00.000Z and was last seen 2026-11-23T05:00:02.000Z):
  goes back  orders  id 2; id 3
  goes back  items  id 1
  stays      orders  id 7
  (seqqa keeps a row that was written during the last request of the run or later, or to which another changed row refers.)
`;

  it("shows them with --dry-run, and changes nothing", async () => {
    const { status, stdout, cleanings } = await seqqa(["clean", "--dry-run"], {
      cwd: folderWith({}),
      leftovers: left,
      removed: ["a thing"],
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: `${SHOWN}would remove a thing\n` });
    expect(cleanings).toEqual([{ dryRun: true }]);
  });

  it("changes nothing without --yes where nobody can be asked", async () => {
    const { status, stdout, stderr, cleanings } = await seqqa(["clean"], { cwd: folderWith({}), leftovers: left });
    expect({ status, stdout }).toEqual({ status: 2, stdout: SHOWN });
    expect(stderr).toContain("run seqqa clean --yes");
    expect(cleanings).toEqual([{ dryRun: true }]);
  });

  it("asks at a terminal, and takes no for an answer", async () => {
    const asked: string[] = [];
    const no = (question: string): Promise<boolean> => Promise.resolve(asked.push(question) < 0);
    const { status, stdout, cleanings } = await seqqa(["clean"], { cwd: folderWith({}), leftovers: left, confirm: no });
    expect({ status, stdout }).toEqual({ status: 3, stdout: `${SHOWN}seqqa clean changed nothing.\n` });
    expect([asked, cleanings]).toEqual([["Restore these rows to their values before the run? [y/N] "], [{ dryRun: true }]]);
  });

  it("asks about a file where no row can be restored", async () => {
    const asked: string[] = [];
    const no = (question: string): Promise<boolean> => Promise.resolve(asked.push(question) < 0);
    const why = 'table "orders" was dropped';
    const kept = [{ ...leftover([{ ...left[0]!.keep[0]!, now: undefined, why }]), undo: [] }];
    const { status, stdout } = await seqqa(["clean"], { cwd: folderWith({}), leftovers: kept, confirm: no });
    expect({ status, asked }).toEqual({ status: 3, asked: [expect.stringMatching(/^No row can be restored\. Write the earlier values/)] });
    expect(stdout).toContain(`seqqa cannot restore rows, because ${why}. It writes their earlier values to a file.`);
    const { stderr } = await seqqa(["clean"], { cwd: folderWith({}), leftovers: kept });
    expect(stderr).toContain("would remove its records of changed rows");
  });

  it("names a statement whose changes stay, and ends with 3", async () => {
    const some = [{ ...leftover([]), unlogged: "REFRESH MATERIALIZED VIEW totals" }];
    const { status, stdout } = await seqqa(["clean", "--yes"], { cwd: folderWith({}), leftovers: some });
    expect({ status, stdout }).toEqual({ status: 3, stdout: expect.stringContaining("this change: REFRESH MATERIALIZED VIEW totals") });
  });

  it.each([
    [["clean", "--yes"], undefined],
    [["clean"], () => Promise.resolve(true)],
  ])("%s does it, and ends with 3 where rows were kept, whose images are in a file", async (argv, confirm) => {
    const cwd = folderWith({});
    const { status, stdout } = await seqqa(argv, { cwd, leftovers: left, ...(confirm !== undefined && { confirm }) });
    expect(status).toBe(3);
    const [name = ""] = readdirSync(cwd).filter((one) => one.startsWith("seqqa-kept-"));
    expect(stdout).toBe(
      `${SHOWN}The SQLite file /x/shop\\x1b.db: 3 rows restored, 1 kept.\nThe values of the kept rows before and after the run are in ${join(cwd, name)}\n`,
    );
    expect(JSON.parse(readFileSync(join(cwd, name), "utf8"))).toMatchObject({ rows: left[0]!.keep });
  });

  it("ends with 0 where all of them went back", async () => {
    const { status, stdout } = await seqqa(["clean", "--yes"], { cwd: folderWith({}), leftovers: [leftover([])] });
    expect(status).toBe(0);
    expect(stdout).toContain("3 rows restored, 0 kept.");
  });
});

describe("stores on other machines", () => {
  const cwd = folderWith({ "qa/a.explore.ts": "", "qa/seqqa.yaml": "base_url: http://h\ndb_url: postgres://u:p4ss@db.example.com/shop" });

  it.each([["run"], ["doctor"], ["clean"]])("%s refuses them, and takes them by name", async (command) => {
    const refused = await seqqa([command, "qa"], { cwd });
    expect(refused.status).toBe(2);
    expect(refused.inputs).toEqual([]);
    expect(refused.stderr).toMatch(/"shop" on db\.example\.com.*\nhint: .*--allow-db shop/);
    expect(refused.stderr).not.toContain("p4ss");
    const other = await seqqa([command, "qa", "--allow-db", "pay"], { cwd });
    expect(other.status).toBe(2);
    const taken = await seqqa([command, "qa", "--allow-db", "pay", "--allow-db", "shop"], { cwd });
    expect(taken.status).toBe(0);
  });

  it("are not taken by name for a run that goes on, unless they are named again", async () => {
    const begun = await seqqa(["run", "qa", "--allow-db", "shop", "--output", join(cwd, "reports")], { cwd });
    expect(begun.status).toBe(0);
    const resumed = ["run", "qa", "--resume", "--output", join(cwd, "reports")];
    const refused = await seqqa(resumed, { cwd });
    expect([refused.status, refused.inputs]).toEqual([2, []]);
    expect(refused.stderr).toMatch(
      /"shop" on db\.example\.com.*\nhint: .*--allow-db shop .* Give --allow-db each time, because run \S+ does not store this option\.\n/,
    );
    expect((await seqqa([...resumed, "--allow-db", "shop"], { cwd })).stderr).not.toContain("--allow-db");
  });
});
