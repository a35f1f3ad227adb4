import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { full } from "../sizes.ts";
import { startProgram, only, writtenIn, type Ran } from "../support/e2e.ts";
import { folderWithPacked } from "../support/packed.ts";

/** Two orders, of which the last one moves: none, one in 4 states, two in 4 x 4; with the defect the 5 in which a cancelled one is cancelled again. */
const WITHOUT = { statesVisited: 21, transitions: 65, skipped: 19 };
const WITH = { ...WITHOUT, statesVisited: 26 };

let outside = "";
let first: Ran;
const folder = (): string => join(outside, "shop-qa");
const sh = (line: string, cwd = folder(), env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  startProgram("sh", ["-c", line], { cwd, env: { npm_config_offline: "true", npm_config_update_notifier: "false", ...env } }).ended;
/** A program that npx would find, without npx: that it finds it is shown by what is run first. */
const program = (line: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  sh(line, folder(), { PATH: `${join(outside, "node_modules/.bin")}:${process.env["PATH"]}`, ...env });

beforeAll(async () => {
  outside = folderWithPacked("typescript");
  chmodSync(join(outside, "node_modules/seqqa/bin/seqqa.js"), 0o755);
  first = await sh("npx seqqa init shop-qa && cd shop-qa && npx seqqa run .", outside);
}, 120_000);

describe("npx seqqa init shop-qa && cd shop-qa && npx seqqa run ., outside of the repository, with the package as it is published", () => {
  it("finds the planted defect by its shortest path", () => {
    expect(first.stdout).toContain("[CRITICAL] no_lamp_out_of_nothing");
    expect(first.stdout).toContain("path      place_order -> cancel_order -> cancel_order\n");
    expect(first.status).toBe(1);
    const found = only(writtenIn(join(folder(), "reports")));
    expect(found).toMatchObject({ ...WITH, open: 0, stopReason: "exhausted", races: [], errors: [], divergences: [] });
    expect(found.raceCoverage!.trials).toBeGreaterThan(0);
    expect(found.violations.map(({ invariant, confirmed }) => [invariant, confirmed])).toEqual([["no_lamp_out_of_nothing", true]]);
  });

  it("finds nothing when the defect is switched off as its README says", async () => {
    const { status, stderr } = await program(`seqqa run . ${full ? "--parallel 2" : "--parallel 1 --races off"} --output off`, {
      SHOP_DEFECT: "off",
    });
    expect({ status, errors: stderr.match(/^error: .*/gm) }).toEqual({ status: 0, errors: null });
    expect(only(writtenIn(join(folder(), "off")))).toMatchObject({
      ...WITHOUT,
      open: 0,
      violations: [],
      races: [],
      errors: [],
      divergences: [],
    });
  });

  it("type-checks, but for a mistake that is put into it", async () => {
    writeFileSync(
      join(folder(), "wrong.ts"),
      'import { Action } from "seqqa";\nexport const wrong = new Action({ name: "a", run: async (api) => { await api.get("/"); } });\n',
    );
    const { status, stdout } = await program("tsc --noEmit --pretty false -p . ; status=$?; rm wrong.ts; exit $status");
    expect(status).not.toBe(0);
    // Each message begins a line, and goes on in lines that are indented.
    expect(stdout.match(/^\S.*/gm)).toEqual([expect.stringMatching(/^wrong\.ts\(2,/)]);
  });

  it("runs its journeys by name, and all of them", async () => {
    // In the quick suite e2e/description runs one by its name.
    const one = full ? await program("seqqa run checkout") : undefined;
    if (one !== undefined) expect({ status: one.status, said: one.stdout.includes("passed (5 steps") }).toEqual({ status: 0, said: true });
    const all = await program("seqqa run --all");
    expect({ status: all.status, said: all.stdout.includes("PASSED  2 journeys: 2 passed") }).toEqual({ status: 0, said: true });
  });

  it("lists what there is to run", async () => {
    const { status, stdout } = await program("seqqa list");
    expect(status).toBe(0);
    expect(stdout.split("\n").map((line) => line.split(/ +/).slice(0, 2).join(" "))).toEqual([
      "journey checkout",
      "journey login",
      "agent shop",
      "",
    ]);
  });

  it("is found fit to run by the doctor", async () => {
    const { status, stdout } = await program("seqqa doctor");
    expect({ status, fit: stdout.includes("All checks passed: a run can start.") }).toEqual({ status: 0, fit: true });
  });

  it("leads editors to the schema of the configuration, which knows every key of it", () => {
    const text = readFileSync(join(folder(), "seqqa.yaml"), "utf8");
    const schema = resolve(folder(), /\$schema=(\S+)/.exec(text)![1]!);
    expect(schema).toBe(join(outside, "node_modules/seqqa/seqqa.schema.json"));
    const { properties, additionalProperties } = JSON.parse(readFileSync(schema, "utf8")) as {
      readonly properties: Readonly<Record<string, unknown>>;
      readonly additionalProperties: boolean;
    };
    expect(additionalProperties).toBe(false);
    expect(Object.keys(parse(text) as object).filter((key) => !(key in properties))).toEqual([]);
  });

  it("leaves no report for Git to see", () => {
    expect(readFileSync(join(folder(), ".gitignore"), "utf8")).toContain("reports/\n");
    expect(existsSync(join(folder(), "reports"))).toBe(true);
  });
});
