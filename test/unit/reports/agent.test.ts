import { describe, expect, it } from "vitest";
import { detectAgent } from "../../../src/reports/index.ts";
import { AgentReporter } from "../../../src/reports/agent/agent.ts";
import type { RunReport } from "../../../src/reports/index.ts";
import { race } from "../../support/race.ts";
import { evil, explored, ran, visibility } from "./hostile-report.ts";
import { report, Sink, violation } from "../../support/results.ts";

function printed(changes: Partial<RunReport>): string {
  const [stdout, stderr] = [new Sink(), new Sink()];
  new AgentReporter({ stdout, stderr, env: {}, verbose: false, visibility }).ended(report(changes));
  return stdout.text;
}

describe("--reporter agent", () => {
  const replayWith = (id: string): string => `npx seqqa replay ${id} --config qa/seqqa.yaml`;

  it("prints a run without findings as one line each", () => {
    expect(printed({ explorations: [explored({ open: 0 })] })).toMatch(
      /^exploration shop: exhaustive[^\n]*; 187,525 transitions, 0 findings, 0 problems\nPASSED exit status 0\n$/,
    );
  });

  it("prints findings with what to do next, and no secrets", () => {
    const text = printed({
      explorations: [explored({ violations: [violation({ where: "shop.explore.ts:12:5" })], races: [race()] })],
      journeys: [ran()],
      exitStatus: 1,
      replayWith,
      reportWith: "npx seqqa report --config qa/seqqa.yaml",
    });
    expect(text).toContain(
      "FINDING CRITICAL refund_within_amount id 3fa1b2c4\n  refunded more than was paid\n  path: create_order -> refund_order -> refund_order\n",
    );
    expect(text).toContain("  where: shop.explore.ts:12:5\n  again: npx seqqa replay 3fa1b2c4 --config qa/seqqa.yaml\n");
    expect(text).toContain("journey login: failed at read\n");
    expect(text.split("\n").at(-2)).toBe(
      "FAILED exit status 1; everything: npx seqqa report --config qa/seqqa.yaml --run 20261121-083020-123-4fd1 --format json --output -",
    );
    expect(text).not.toMatch(/secret-\d|Bearer abc|pw-1/);
  });

  it("names only commands and files that exist", () => {
    const unreached = violation({ id: "f1", reproductionPath: [], state: null });
    const explorations = [explored({ violations: [violation(), unreached] })];
    const stored = printed({ explorations, exitStatus: 1, replayWith, files: ["out/report.html", "out/results.json"] });
    expect(stored.match(/ {2}again: .*/g)).toHaveLength(1);
    expect(stored).toMatch(/\nFAILED exit status 1; everything: out\/results\.json\n$/);
    expect(printed({ explorations, exitStatus: 1 })).not.toMatch(/again:|everything:/);
  });

  it("stays short and inert", () => {
    const many = Array.from({ length: 200 }, (_, index) => violation({ id: `id${index}` }));
    const text = printed({ explorations: [explored({ violations: many })], exitStatus: 1 });
    expect(text).toContain("190 more findings are not shown");
    expect(text.length).toBeLessThan(6_000);
    expect(printed(evil).replaceAll("\n", "")).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e\u2028]/); // oxlint-disable-line no-control-regex
  });
});

it.each<readonly [Readonly<Record<string, string>>, string | undefined]>([
  [{}, undefined],
  [{ CLAUDECODE: "1" }, "claude"],
  [{ AI_AGENT: "Mine", CLAUDECODE: "1" }, "mine"],
  [{ CURSOR_AGENT: "" }, undefined],
  [{ CODEX_SANDBOX: "seatbelt" }, "codex"],
])("of %j the agent is %s", (env, agent) => {
  expect(detectAgent(env)).toBe(agent);
});
