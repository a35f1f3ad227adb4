import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderWith, seqqa } from "./harness.ts";

const ok = { ok: true, what: "node", says: "Node 20.19.0" };
const bad = { ok: false, what: "db: privileges", says: "may not create databases; GRANT CREATEDB" };

describe("seqqa doctor", () => {
  it("prints a line for each check and ends with 0 when nothing is missing", async () => {
    const { status, stdout, stderr } = await seqqa(["doctor"], { cwd: folderWith({}), checks: [ok] });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe("ok       node  Node 20.19.0\n\nEverything that a run needs is there.\n");
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
    expect({ status, stdout }).toEqual({ status: 0, stdout: "Nothing was left by dead runs.\n" });
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
      /"shop" on db\.example\.com.*\nhint: .*--allow-db shop .*; .* Run \S+ does not keep --allow-db: give it again\.\n/,
    );
    expect((await seqqa([...resumed, "--allow-db", "shop"], { cwd })).stderr).not.toContain("--allow-db");
  });
});
