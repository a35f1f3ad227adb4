import { describe, expect, it } from "vitest";
import { flagRows, optionsBefore } from "../../../../src/cli/arguments/resumed-flags.ts";
import { flagsOf, type RunOptions } from "../../../../src/cli/arguments/run-options.ts";
import type { ConfigRow } from "../../../../src/run-log/index.ts";

const stored = (rows: readonly ConfigRow[]) => ({ id: "r", config: new Map(rows.map(({ key, ...row }) => [key, row])) });
const row = (key: string, value: unknown, source = "flag --any"): ConfigRow => ({ key, value: JSON.stringify(value), source });
const before = (rows: readonly ConfigRow[], given: RunOptions = {}, env = {}): RunOptions => optionsBefore(stored(rows), given, env);

describe("the flags of the first session", () => {
  it("hold where they are not given anew, and what a file or the environment said is theirs to say again", () => {
    const rows = [
      row("exploration.max_steps", 50),
      row("parallel", 2),
      row("base_url", "http://a", "environment SEQQA_BASE_URL"),
      row("exploration.seed", 0, "default"),
    ];
    expect(before(rows)).toEqual({ maxSteps: "50", parallel: "2" });
    expect(before(rows, { maxSteps: "70", verbose: true })).toEqual({ maxSteps: "70", parallel: "2", verbose: true });
    expect(before([row("exploration.stop_on_first_violation", true)])).toEqual({ bail: true });
  });

  it("are all of those that set a key of the configuration, but for the place of the reports", () => {
    const kept: RunOptions = {
      parallel: "2",
      baseUrl: "http://a",
      strategy: "dfs",
      maxSteps: "5",
      maxDepth: "6",
      maxTime: "7s",
      seed: "8",
      bail: true,
      continueAfterViolation: true,
      failOnSeverity: "low",
    };
    const rows = flagsOf({ ...kept, output: "x", verbose: true, races: "pairs" }).map(({ key, flag, value }) =>
      row(key, value === "true" ? true : value, `flag ${flag}`),
    );
    expect(before(rows)).toEqual(kept);
  });

  it("hold where no key of the configuration says them", () => {
    const options: RunOptions = { infra: false, only: "a", shard: "2/4", races: true, verbose: true, output: "x" };
    expect(before(flagRows(options))).toEqual({ infra: false, only: "a", shard: "2/4", races: true });
    expect(before(flagRows(options), { infra: true, only: "b" })).toMatchObject({ infra: false, only: "b" });
    expect(flagRows({ infra: true })).toEqual([]);
  });

  it("do not hold where they permit something: a store may have come from another machine", () => {
    expect(flagRows({ allowDb: ["shop"] })).toEqual([]);
    expect(before([row("--allow-db", ["shop"], "flag --allow-db")])).toEqual({});
    expect(before([row("--allow-db", ["shop"], "flag --allow-db")], { allowDb: ["pay"] })).toEqual({ allowDb: ["pay"] });
  });

  it("are asked for again where they had a password", () => {
    const rows = [row("base_url", "http://***@127.0.0.1:3000")];
    expect(() => before(rows)).toThrow(
      expect.objectContaining({ exitStatus: 2, message: expect.stringMatching(/^The --base-url of run r contained a password/) }),
    );
    expect(before(rows, { baseUrl: "http://u:p@127.0.0.1:3000" })).toEqual({ baseUrl: "http://u:p@127.0.0.1:3000" });
    expect(before(rows, {}, { SEQQA_BASE_URL: "http://u:p@127.0.0.1:3000" })).toEqual({});
  });
});
