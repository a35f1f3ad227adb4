import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { emptyFolder, only, seqqaProcess, writtenIn } from "../support/e2e.ts";
import { template } from "../support/store-templates.ts";
import { install } from "./install.ts";

/** Which pairs race, and why, says `kue/jobs.explore.ts`. */
const RACES = ["complete || fail", "hurry || complete", "hurry || fail"];

it("a job queue that nobody here wrote: the races of its changes are found, and seen again on lanes that are built anew", async () => {
  const output = emptyFolder();
  const starts = join(emptyFolder(), "starts");
  const env = { REAL_SERVER: await install("kue", "0.11.6"), REAL_REDIS: await template("redis"), REAL_STARTS: starts };
  const ran = await seqqaProcess(["run", "test/real/kue", "--races", "--parallel", "1", "--output", output], { env, timeoutMs: 900_000 });
  const { races, raceCoverage, ...result } = only(writtenIn(output));
  expect(ran.status, ran.stderr).toBe(1);
  expect(result).toMatchObject({ violations: [], divergences: [], errors: [] });
  expect(races.map(({ first, second }) => `${first} || ${second}`).toSorted()).toEqual(RACES);
  expect(raceCoverage!.dismissed).toEqual({});
  // The first lane, and one for each race, on which it is measured.
  expect(readFileSync(starts, "utf8").trim().split("\n").length).toBeGreaterThanOrEqual(1 + races.length);
  const report = readFileSync(join(output, "report.html"), "utf8");
  for (const race of races) {
    expect(race).toMatchObject({ verdict: "state", severity: "high", copies: 2, prefix: ["create_job"] });
    expect(race.steps.map(({ action, status }) => [action, status])).toEqual([["create_job", 200]]);
    expect(race.observed.calls.map(({ status }) => status)).toEqual([200, 200]);
    expect(race.allowed.map(({ order }) => order)).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect(race.hits).toBeGreaterThan(0);
    expect(race.hits).toBeLessThanOrEqual(race.trials);
    expect(report).toContain(race.id);
    expect(race.curl).toContain("/job/");
  }

  // The job is in two lists at once, which no order shows.
  const both = races.find(({ first, second }) => first === "complete" && second === "fail")!;
  const lists = ({ changes }: { readonly changes: readonly string[] }): readonly string[] =>
    changes.flatMap((line) => /^\+ .*key: "q:jobs:(complete|failed)"/.exec(line)?.[1] ?? []).toSorted();
  expect(lists(both.observed)).toEqual(["complete", "failed"]);
  expect(both.allowed.map(lists)).toEqual([["failed"], ["complete"]]);

  const again = await seqqaProcess(["replay", both.id, "--output", output, "--config", "test/real/kue/seqqa.yaml"], {
    env,
    timeoutMs: 300_000,
  });
  expect(again.status, again.stderr).toBe(1);
  expect(again.stdout).toMatch(/^Still fails: \d+ of \d+ trials showed the race\.$/m);

  const rates = races.map(({ first, second, hits, trials, delivery }) => `${first} || ${second}: ${hits} of ${trials}, ${delivery}`);
  console.info(`${rates.join("; ")}; ${raceCoverage!.trials} trials in ${(raceCoverage!.durationMs / 1000).toFixed(1)} s`);
});
