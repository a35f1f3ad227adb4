import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadConfig, type Config } from "../../../../src/config/index.ts";
import { changedKeys, differingKeys } from "../../../../src/run/resume/changed-keys.ts";
import { environmentRows } from "../../../../src/run-log/rows/environment-rows.ts";
import { configRows } from "../../../../src/run-log/index.ts";

const folder = mkdtempSync(join(tmpdir(), "seqqa-unit-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const config = (document: object, env: Readonly<Record<string, string>> = {}): Config => {
  const file = join(folder, "seqqa.yaml");
  writeFileSync(file, JSON.stringify(document));
  return loadConfig({ file, env, cwd: folder });
};
const stored = (of: Config) => ({
  config: new Map(configRows(of).map(({ key, value, source }) => [key, { value, source }])),
  environment: environmentRows(of),
});
const target = (env: Readonly<Record<string, string>>): object => ({
  target: { command: "node server.mjs", env: { PORT: "{port}", ...env } },
});

describe("what changed in a configuration", () => {
  it("is nothing of budgets, lanes, reports and what is probed", () => {
    const before = stored(config({ timeout: 7 }));
    const exploration = { max_steps: 7, max_time: 9, races: "pairs", seed: 3 };
    expect(
      changedKeys(before, config({ timeout: 7, parallel: 3, exploration, report: { formats: ["json"] }, fail_on_severity: "high" })),
    ).toEqual([]);
  });

  it("is said with both values and what set the new one", () => {
    const before = stored(config({ timeout: 7 }));
    expect(changedKeys(before, config({ timeout: 9 }))).toEqual([
      expect.stringMatching(/^timeout \(7, now 9 by file .*seqqa\.yaml:1:12\)$/),
    ]);
    expect(changedKeys(before, config({}, { SEQQA_TIMEOUT: "8" }))).toEqual(["timeout (7, now 8 by environment SEQQA_TIMEOUT)"]);
    expect(changedKeys(before, config({}))).toEqual(["timeout (7, now 30)"]);
  });

  it("of variables is said by name alone", () => {
    const before = stored(config(target({ TOKEN: "geheim" })));
    expect(changedKeys(before, config(target({ TOKEN: "geheim" })))).toEqual([]);
    expect(changedKeys(before, config(target({ TOKEN: "anders" })))).toEqual(["the value of target.env.TOKEN"]);
    expect(changedKeys(before, config(target({})))).toEqual([
      expect.stringMatching(/^target\.env \(\["PORT","TOKEN"\], now \["PORT"\] by file /),
    ]);
  });

  it("between two runs is named, as far as both stores can tell", () => {
    const [a, b] = [
      stored(config(target({ TOKEN: "geheim" }))),
      stored(config({ ...target({ TOKEN: "anders" }), timeout: 3, parallel: 2 })),
    ];
    expect(differingKeys(a.config, b.config)).toEqual(["timeout"]);
    // Budgets, lanes and reports may differ between shards; what is probed may not.
    const exploration = { max_steps: 7, max_time: 9, rate_limit: 2, stop_on_first_violation: true };
    const budgets = stored(config({ ...target({ TOKEN: "geheim" }), exploration, report: { formats: ["json"] } }));
    expect(differingKeys(a.config, budgets.config)).toEqual([]);
    const raced = (maxTime: number) => stored(config({ exploration: { races: { max_time: maxTime } } })).config;
    expect(differingKeys(raced(1), raced(2))).toEqual([]);
    const probing = stored(config({ ...target({ TOKEN: "geheim" }), exploration: { races: "pairs", faults: "on" } }));
    expect(differingKeys(a.config, probing.config)).toEqual(["exploration.faults.mode", "exploration.races.mode"]);
  });
});
