import { beforeAll, describe, expect, it } from "vitest";
import type { ReplayedRace, ReplayResult } from "../../../src/model/results/replay.ts";
import { gatedRace, race } from "../../support/race.ts";
import { result } from "../../support/results.ts";
import { configIn, store } from "../../support/stored-runs.ts";
import { folderWith, seqqa } from "../../support/cli-harness.ts";

let cwd = "";
beforeAll(() => {
  cwd = folderWith({ "seqqa.yaml": "", "shop.explore.ts": "" });
  const races = [race(), gatedRace({ second: "cancel_order" }), race({ id: "r77", draws: [[0], [0, 1]], copies: 3 })];
  const explored = result({ races, seed: 7 });
  const graph = { ...explored.graph, actions: ["create_order", "pay_order", "refund_order"] };
  store(configIn(cwd), { explorations: [{ name: "shop", file: "shop.explore.ts", result: { ...explored, graph } }] });
});

const calls = (changes: Partial<ReplayedRace> = {}): ReplayedRace => ({
  hits: 0,
  trials: 20,
  misses: 0,
  observed: race().allowed[0],
  ...changes,
});
const replayed = (changes: Partial<ReplayResult> = {}): ReplayResult => ({
  steps: race().steps,
  completed: true,
  violations: [],
  errors: [],
  race: calls(),
  ...changes,
});

describe("a race that is replayed", () => {
  it.each<readonly [string, Partial<ReplayResult>, number, string]>([
    ["was seen again", { race: calls({ hits: 9, observed: race().observed }) }, 1, "Still fails: 9 of 20 trials showed the race.\n"],
    ["was not", {}, 0, "Gone: none of 20 trials showed the race. In the run, 14 of 20 trials showed the race.\n"],
    [
      "was not at its place",
      { steps: race().steps.map((step) => ({ ...step, status: 402 })) },
      3,
      "Diverged: step 1 (create_order) got the answer 402, but in the run it got the answer 201, so the calls were not sent in the state of the finding.\n",
    ],
    [
      "lost its path",
      { steps: race().steps.slice(0, 1), completed: false, race: undefined },
      3,
      "Diverged: step 1 (create_order) got the answer 201 and then failed, so the calls were not sent in the state of the finding.\n",
    ],
    [
      "could not be made",
      { race: calls({ trials: 0, misses: 40, inconclusive: "the calls overlapped in none of 40 trials" }) },
      3,
      "The replay does not show whether the race still exists: the calls overlapped in none of 40 trials.\n",
    ],
  ])("%s", async (_what, changes, expected, sentence) => {
    const ran = await seqqa(["replay", "r3fa"], { cwd, replay: () => replayed(changes) });
    expect([ran.status, ran.stderr]).toEqual([expected, ""]);
    expect(ran.stdout.endsWith(`\n\n${sentence}`)).toBe(true);
  });

  it("is sent as it was: the actions, their delivery, what counts; the schedule of one that was held", async () => {
    const [plain, gated, many] = await Promise.all(
      ["r3fa", "r0", "r77"].map((id) => seqqa(["replay", id], { cwd, replay: () => replayed() })),
    );
    expect(plain!.replayInputs).toMatchObject([
      {
        path: ["create_order", "pay_order"],
        seed: 7,
        race: { actions: ["refund_order", "refund_order"], delivery: "pipelined", verdict: "state" },
      },
    ]);
    expect(gated!.replayInputs[0]!.race).toMatchObject({
      actions: ["refund_order", "cancel_order"],
      delivery: "gated",
      schedule: { system: "db", held: 0, write: 1, statement: "UPDATE orders" },
    });
    expect(gated!.stdout).toContain(
      "Gone: none of 20 trials showed the race, although seqqa delayed the same database write as in the run.\n",
    );
    expect(many!.replayInputs).toMatchObject([
      { draws: [["create_order"], ["create_order", "pay_order"]], race: { actions: ["refund_order", "refund_order", "refund_order"] } },
    ]);
  });

  it("is a table of the steps and both calls, recorded and observed, and how often each was seen, without secrets", async () => {
    const observed = race().observed;
    const secret = { ...observed, changes: ["+ log (password = hunter2-of-ann-77)"] };
    const { stdout } = await seqqa(["replay", "r3fa"], {
      cwd,
      replay: () => replayed({ race: calls({ hits: 1, misses: 2, observed: secret }) }),
    });
    expect(stdout.split("\n").slice(0, 24)).toEqual([
      "[HIGH] refund_order || refund_order, id r3fa1b2c4d5e6f708",
      expect.stringMatching(/^of shop \(shop\.explore\.ts\), run /) as string,
      "",
      "step  action        request                recorded  observed",
      "1     create_order  POST /orders           201       201",
      "2     pay_order     POST /orders/1/pay     200       200",
      "3     refund_order  POST /orders/1/refund  200       200",
      "3     refund_order  POST /orders/1/refund  200       200",
      "",
      "recorded  14 of 20 trials (95 % between 48 % and 86 %), 1 more did not overlap, pipelined; at the same time: 200, 200",
      ...observed.changes.map((line) => `          ${line}`),
      "observed  1 of 20 trials, 2 more did not overlap; at the same time: 200, 200",
      "          + log (password = [redacted])",
      "allowed   refund_order, then refund_order: 200, 409",
      ...observed.changes.slice(0, 3).map((line) => `          ${line}`),
      "",
      "Still fails: 1 of 20 trials showed the race.",
      "",
    ]);
  });

  it("stops before the calls with the step behind the last of its prefix", async () => {
    const said: string[] = [];
    const ran = await seqqa(["replay", "r3fa", "--from-step", "3"], {
      cwd,
      replay: async ({ beforeStep }) => {
        for (const step of [0, 1, 2]) {
          await beforeStep!(step, ["http://h"]);
          said.push(String(step));
        }
        return replayed();
      },
      waitForEnter: () => Promise.resolve(void said.push("Enter")),
    });
    expect(ran.stdout).toContain("The target and its stores are in the state before step 3 (refund_order || refund_order):\n  http://h\n");
    expect(said).toEqual(["0", "1", "Enter", "2"]);
    const beyond = await seqqa(["replay", "r3fa", "--from-step", "4"], { cwd });
    expect([beyond.status, beyond.stderr]).toEqual([
      2,
      'error: Invalid --from-step value "4": the path of the finding has no such step.\nhint: Give a number from 1 to 3.\n',
    ]);
  });

  it("is a script, and a test, which run nothing now", async () => {
    const script = await seqqa(["replay", "r3fa", "--emit", "curl"], { cwd });
    expect([script.status, script.replayInputs]).toEqual([0, []]);
    expect(script.stdout).toMatch(/^#!\/bin\/sh\n# \[HIGH\] refund_order \|\| refund_order: [^]*--parallel-immediate/);
    const test = await seqqa(["replay", "r00", "--emit", "vitest"], { cwd });
    expect([test.status, test.replayInputs]).toEqual([0, []]);
    expect(test.stdout).toContain('const replayed = await agent.replay(["create_order","pay_order"], {\n');
    expect(test.stdout).toContain(
      '"delivery":"gated","schedule":{"system":"db","held":0,"write":1,"statement":"UPDATE orders"},"verdict":"state"},\n',
    );
  });

  it("is named among what there is", async () => {
    const { status, stderr } = await seqqa(["replay", "zz"], { cwd });
    expect(status).toBe(2);
    expect(stderr).toContain(
      "Give the id of one of these findings: r3fa1b2c4d5e6f708 (refund_order || refund_order), r00000000000000a7 (refund_order || cancel_order), r77 (refund_order, 3 at once).",
    );
  });
});
