import { rmSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import type { ReplayResult } from "../../../src/model/results/replay.ts";
import type { Violation } from "../../../src/model/results/result.ts";
import type { ReplayFileInput } from "../../../src/run/index.ts";
import { harErrors } from "../../support/json-schemas.ts";
import { result, violation } from "../../support/results.ts";
import { newRunId } from "../../../src/run-log/index.ts";
import { configIn, store } from "../../support/stored-runs.ts";
import { folderWith, seqqa } from "../../support/cli-harness.ts";

const PATH = ["create_order", "pay_order", "refund_order"];
const steps: Violation["steps"] = PATH.map((action, index) => ({
  action,
  status: 200 + index,
  requests: [
    {
      request: { method: "POST", url: `http://127.0.0.1:3000/${action}?token=abc`, headers: {} },
      response: { status: 200 + index, headers: {}, body: "{}" },
      durationMs: 1,
    },
  ],
}));
const named = (id: string, changes: Partial<Violation> = {}): Violation => violation({ id, reproductionPath: PATH, steps, ...changes });

let cwd = "";
beforeAll(() => {
  cwd = folderWith({ "seqqa.yaml": "", "none/seqqa.yaml": "", "graph/seqqa.yaml": "", "shop.explore.ts": "" });
  const file = "shop.explore.ts";
  const findings = [
    named("aa11"),
    named("aa12"),
    named("bb11", { reproductionPath: [], steps: [], state: null, invariant: "paid_unreached" }),
    named("cc11", { reproductionPath: [], steps: [], state: 0 }),
    named("dd11", { steps: [], request: undefined, response: undefined }),
  ];
  store(configIn(cwd), { explorations: [{ name: "shop", file, result: result({ violations: findings, seed: 7 }) }] });
  const dead = named("ff11", { steps: [], state: null, invariant: "refund_order_dead" });
  const graph = { deadEdges: ["refund_order"], unreachedNodes: [], deniedChecks: [] };
  store(configIn(`${cwd}/none`), { explorations: [{ name: "shop", file, result: result() }] });
  store(configIn(`${cwd}/graph`), { explorations: [{ name: "shop", file, result: result({ violations: [dead], ...graph }) }] });
});

const replayed = (changes: Partial<ReplayResult> = {}): ReplayResult => ({
  steps,
  completed: true,
  violations: [],
  errors: [],
  ...changes,
});
const broken: ReplayResult["violations"] = [{ invariant: "refund_within_amount", severity: "critical", message: "m" }];

describe("a finding of an earlier run", () => {
  it("is named with its run", async () => {
    const folder = folderWith({ "seqqa.yaml": "", "shop.explore.ts": "" });
    const file = "shop.explore.ts";
    const operations = [
      { action: "list", id: "ee11", count: 1 },
      { action: "read", id: "gg11", count: 1 },
    ];
    const violations = [named("ee11", { operations })];
    const older = store(configIn(folder), { explorations: [{ name: "shop", file, result: result({ violations }) }] });
    const newer = store(configIn(folder), {
      run: newRunId(new Date(Date.now() + 5_000)),
      explorations: [{ name: "shop", file, result: result() }],
    });
    const { status, stderr, replayInputs } = await seqqa(["replay", "ee"], { cwd: folder });
    expect(stderr).toBe(`error: Run ${newer} has no finding "ee", but run ${older} has it.\nhint: Add --run ${older}.\n`);
    expect([status, replayInputs]).toEqual([2, []]);
    // The finding was reported together with another one.
    expect((await seqqa(["replay", "gg11"], { cwd: folder })).stderr).toContain(`hint: Add --run ${older}.\n`);
  });
});

describe("in another folder", () => {
  it("loads the exploration of the run, and no other one with the same path", async () => {
    const root = folderWith({ "a/seqqa.yaml": "", "a/qa/shop.explore.ts": "", "b/qa/shop.explore.ts": "", "b/seqqa.yaml": "" });
    const explore = (): ReturnType<typeof result> => result({ violations: [named("aa11")] });
    expect((await seqqa(["run", "qa", "--config", "seqqa.yaml"], { cwd: `${root}/a`, explore })).status).toBe(1);
    const again = (...more: readonly string[]): ReturnType<typeof seqqa> =>
      seqqa(["replay", "aa11", "--output", "../a/reports", ...more], { cwd: `${root}/b` });
    expect((await again()).replayInputs).toMatchObject([{ entry: `${root}/a/qa/shop.explore.ts` }]);
    expect((await again("--emit", "vitest")).stdout).toContain('import { agent } from "../a/qa/shop.explore.ts";');
    rmSync(`${root}/a/qa/shop.explore.ts`);
    // The reports may come from another machine, and the working directory may be the same part of the repository.
    expect((await again()).replayInputs).toMatchObject([{ entry: `${root}/b/qa/shop.explore.ts` }]);
  });

  it("is no test with --emit vitest if no file tells the URL of the target", async () => {
    const folder = folderWith({ "shop.explore.ts": "" });
    store(configIn(folder), { explorations: [{ name: "shop", file: "shop.explore.ts", result: result({ violations: [named("aa11")] }) }] });
    const emit = (...more: readonly string[]): ReturnType<typeof seqqa> =>
      seqqa(["replay", "aa11", "--emit", "vitest", ...more], { cwd: folder });
    const refused = await emit("--base-url", "http://127.0.0.1:3000");
    expect(refused).toMatchObject({ status: 2, stdout: "" });
    expect(refused.stderr).toContain("error: --emit vitest cannot write a test without a seqqa.yaml,");
    // Without a URL, the API runs in the process of the test.
    expect((await emit()).status).toBe(0);
    writeFileSync(`${folder}/seqqa.yaml`, "timeout: 7\n");
    const without = await emit("--base-url", "http://127.0.0.1:3000");
    expect(without).toMatchObject({ status: 2, stdout: "" });
    expect(without.stderr).toContain(
      "error: --emit vitest cannot write a test, because seqqa.yaml does not contain the URL of the target.",
    );
    writeFileSync(`${folder}/seqqa.yaml`, "base_url: http://127.0.0.1:3000\n");
    expect((await emit("--base-url", "http://127.0.0.1:3000")).stdout).toContain('new URL("./seqqa.yaml", import.meta.url)');
  });

  it("is no test with --emit vitest if the run does not tell where its exploration is", async () => {
    const { status, stdout, stderr } = await seqqa(["replay", "aa11", "--output", "../reports", "--emit", "vitest"], {
      cwd: `${cwd}/none`,
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(`error: The exploration file ${cwd}/none/shop.explore.ts does not exist.`);
  });
});

it("is an archive of its requests with --emit har, without secrets", async () => {
  const { status, stdout, replayInputs } = await seqqa(["replay", "aa11", "--emit", "har"], { cwd });
  expect([status, replayInputs]).toEqual([0, []]);
  const har = JSON.parse(stdout) as { readonly log: { readonly entries: readonly { readonly comment: string }[] } };
  expect(harErrors(har)).toEqual([]);
  expect(har.log.entries.map(({ comment }) => comment).slice(0, 3)).toEqual(PATH);
  expect(stdout).toContain("/create_order?token=%5Bredacted%5D");
  expect(stdout).not.toContain("abc");
});

describe("is a test with --emit vitest", () => {
  /** Executes the `expect` of the emitted test with the result of a replay. */
  async function judge(id: string, changes: Partial<ReplayResult>): Promise<string> {
    const { stdout } = await seqqa(["replay", id, "--emit", "vitest"], { cwd });
    const expects = stdout.slice(stdout.indexOf("\n  });\n") + 7, stdout.lastIndexOf("});"));
    try {
      new Function("expect", "replayed", expects)(expect, replayed(changes)); // oxlint-disable-line no-implied-eval
      return "passes";
    } catch {
      return "fails";
    }
  }
  const refused = steps.map((one, index) => (index === 0 ? { ...one, status: 422 } : one));
  const fixed = steps.map((one, index) => (index === 2 ? { ...one, status: 409 } : one));

  it.each<readonly [string, string, Partial<ReplayResult>]>([
    ["fails", "while the rule is broken", { violations: broken }],
    ["passes", "when the last step is refused", { steps: fixed }],
    [
      "passes",
      "when another rule is broken, or threw",
      { violations: [{ ...broken[0]!, invariant: "x" }], errors: [{ code: "X", message: "m", source: "x" }] },
    ],
    ["fails", "if a step was not executed", { steps: steps.slice(0, 1), completed: false }],
    ["fails", "if an earlier step is refused now", { steps: refused }],
    ["fails", "if the rule itself threw", { errors: [{ code: "INVARIANT_THREW", message: "m", source: "refund_within_amount" }] }],
  ])("that %s %s", async (verdict, _what, changes) => {
    expect(await judge("aa11", changes)).toBe(verdict);
  });

  it("that requires the rule", async () => {
    const { stdout } = await seqqa(["replay", "aa11", "--emit", "vitest"], { cwd });
    expect(stdout).toContain('    rule: "refund_within_amount",\n');
  });

  it("of a finding without recorded steps", async () => {
    expect(await judge("dd11", { steps: refused })).toBe("passes");
    expect(await judge("cc11", { steps: [] })).toBe("passes");
  });
});

describe("a wrong use ends with 2, and nothing is sent", () => {
  it.each<readonly [string, RegExp]>([
    [
      "aa",
      /^error: The id "aa" is ambiguous, because the ids of 2 findings of run \S+ begin with this text\.\nhint: Give the id of one of these findings: aa11 \(refund_within_amount\), aa12 \(refund_within_amount\)\.\n$/,
    ],
    ["zz", /^error: Run \S+ has no finding "zz"\.\nhint: Give the id of one of these findings: aa11 [^\n]*, dd11 [^\n]*\.\n$/],
    ["", /^error: The id of the finding is empty\.\nhint: Give the id of one of these findings: aa11 /],
    [
      "zz --config none/seqqa.yaml",
      /^error: Run \S+ has no finding "zz"\.\nhint: Run \S+ has no findings\. Choose another run with --run <id>\.\n$/,
    ],
    [
      "bb11",
      /^error: The finding paid_unreached cannot be replayed, because the finding is about a node or edge of the state graph that no path of the run reached\.\nhint: /,
    ],
    ["bb11 --emit vitest", /^error: The finding /],
    [
      "ff11 --config graph/seqqa.yaml",
      /^error: The finding refund_order_dead cannot be replayed, because the finding is about an edge of the state graph that applied on no path of the run, and a replay executes only one path\.\nhint: /,
    ],
    [
      "aa11 --from-step 0",
      /^error: Invalid --from-step value "0": the path of the finding has no such step\.\nhint: Give a number from 1 to 3\.\n$/,
    ],
    ["aa11 --from-step 4", /^error: Invalid --from-step value "4": the path of the finding has no such step\.\n/],
    ["aa11 --from-step -1", /^error: Invalid --from-step value "-1": the path of the finding has no such step\.\n/],
    ["aa11 --from-step 1.5", /^error: Invalid --from-step value "1\.5": the path of the finding has no such step\.\n/],
    ["aa11 --from-step two", /^error: Invalid --from-step value "two": the path of the finding has no such step\.\n/],
    ["aa11 --from-step=", /^error: Invalid --from-step value "": the path of the finding has no such step\.\n/],
    [
      "cc11 --from-step 1",
      /^error: Invalid --from-step value "1": the path of the finding has no such step\.\nhint: Remove --from-step: the finding is in the root state, so its path has no steps\.\n$/,
    ],
    ["aa11 --emit curl --from-step 2", /^error: --from-step cannot be combined with --emit, because --emit executes no steps\.\nhint: /],
    ["dd11 --emit har", /^error: --emit har found no HTTP requests [^\n]*\nhint: Use --emit vitest instead\. /],
    ["dd11 --emit curl", /^error: --emit curl found no HTTP requests [^\n]*\nhint: Use --emit vitest instead\. /],
  ])("seqqa replay %s", async (line, message) => {
    const { status, stdout, stderr, replayInputs } = await seqqa(["replay", ...line.split(" ")], { cwd });
    expect(stderr).toMatch(message);
    expect({ status, stdout, sent: replayInputs.length }).toEqual({ status: 2, stdout: "", sent: 0 });
  });
});

describe("a replay", () => {
  it.each<readonly [string, Partial<ReplayResult>, number, string]>([
    ["still fails", { violations: broken }, 1, "Still fails: refund_within_amount is broken again.\n"],
    ["is gone", {}, 0, "Gone: refund_within_amount holds after the same path.\n"],
    [
      "diverged",
      { steps: steps.slice(0, 1), completed: false },
      3,
      "Diverged: step 1 (create_order) got the answer 200 and then failed. The path therefore did not reach the state of the finding.\n",
    ],
  ])("that %s", async (_what, changes, expected, sentence) => {
    const ran = await seqqa(["replay", "aa11"], { cwd, replay: () => replayed(changes) });
    expect([ran.status, ran.stderr]).toEqual([expected, ""]);
    expect(ran.stdout.endsWith(`\n\n${sentence}`)).toBe(true);
    expect(ran.replayInputs).toMatchObject([{ entry: `${cwd}/shop.explore.ts`, path: PATH, seed: 7, rule: "refund_within_amount" }]);
  });

  it("is a table of steps with what was recorded and what was observed, without secrets", async () => {
    const now = steps.map((step, index) => ({
      ...step,
      status: index === 2 ? 409 : step.status,
      requests: step.requests.map((one) => (index === 2 ? { ...one, response: { ...one.response!, status: 409 } } : one)),
    }));
    const { status, stdout } = await seqqa(["replay", "aa11"], { cwd, replay: () => replayed({ steps: now }) });
    expect(status).toBe(0);
    expect(stdout.split("\n").slice(3, 7)).toEqual([
      "step  action        request                              recorded  observed",
      "1     create_order  POST /create_order?token=[redacted]  200       200",
      "2     pay_order     POST /pay_order?token=[redacted]     201       201",
      "3     refund_order  POST /refund_order?token=[redacted]  202       409",
    ]);
  });
});

/** Executes all steps, as the engine does: each is told of before. */
async function executed({ beforeStep, signal, path }: ReplayFileInput, uses: readonly string[] = []): Promise<ReplayResult> {
  for (const step of path.keys()) {
    await beforeStep?.(step, uses);
    signal.throwIfAborted();
  }
  return replayed({ violations: broken });
}

describe("--from-step", () => {
  const where = ["http://127.0.0.1:4711", "sqlite:/tmp/lane\u001b[2J/db"];

  it("shows where the world is, and goes on by itself where nobody sits at a terminal", async () => {
    const { status, stdout, stderr } = await seqqa(["replay", "aa11", "--from-step", "2"], {
      cwd,
      replay: (input) => executed(input, where),
    });
    expect([status, stderr]).toEqual([1, ""]);
    expect(stdout).toContain(
      "The target and its stores are in the state before step 2 (pay_order):\n  http://127.0.0.1:4711\n  sqlite:/tmp/lane\\x1b[2J/db\n\nstep  action ",
    );
    expect(stdout).not.toContain("create_order");
  });

  it("waits for Enter once, before that step, and then goes on", async () => {
    const said: string[] = [];
    const ran = await seqqa(["replay", "aa11", "--from-step", "3"], {
      cwd,
      replay: async ({ beforeStep, ...input }) =>
        executed({ ...input, beforeStep: async (step, uses) => (await beforeStep!(step, uses), void said.push(`step ${step + 1}`)) }),
      waitForEnter: () => Promise.resolve(void said.push("Enter")),
    });
    expect([ran.status, ran.stderr]).toEqual([1, "Press Enter to continue. "]);
    expect(said).toEqual(["step 1", "step 2", "Enter", "step 3"]);
  });

  it("of the first step shows the root state, and waits", async () => {
    let asked = 0;
    const waitForEnter = (): Promise<void> => Promise.resolve(void asked++);
    const { status, stdout } = await seqqa(["replay", "aa11", "--from-step", "1"], {
      cwd,
      replay: (input) => executed(input),
      waitForEnter,
    });
    expect({ status, asked }).toEqual({ status: 1, asked: 1 });
    expect(stdout).toMatch(/The target and its stores are in the state before step 1 \(create_order\):\n[^]*\n1     create_order/);
  });

  it("not given: nothing is shown, and nobody is asked", async () => {
    const waitForEnter = (): Promise<void> => Promise.reject(new Error("asked"));
    const ran = await seqqa(["replay", "aa11"], { cwd, replay: (input) => executed(input), waitForEnter });
    expect([ran.status, ran.stderr]).toEqual([1, ""]);
    expect(ran.stdout).not.toContain("The target and its stores are in the state");
  });
});

describe("Ctrl-C", () => {
  const TOLD = "Interrupted. seqqa finishes the current steps and restores the stores. Press Ctrl-C again to end at once.\n";

  it("while it waits for Enter ends the replay with 130 and without a verdict", async () => {
    const ran = await seqqa(["replay", "aa11", "--from-step", "2"], {
      cwd,
      replay: (input) => executed(input),
      waitForEnter: async (signal, interrupt) => (interrupt(), expect(signal.aborted).toBe(true)),
    });
    expect([ran.status, ran.stderr]).toEqual([130, `Press Enter to continue. ${TOLD}`]);
    expect(ran.stdout).not.toMatch(/fails|Gone|Diverged/);
  });

  it("when the path was executed already: the verdict is said, and the status is 130 all the same", async () => {
    const ran = await seqqa(["replay", "aa11"], { cwd, replay: (_input, interrupt) => (interrupt(), replayed({ violations: broken })) });
    expect([ran.status, ran.stderr]).toEqual([130, TOLD]);
    expect(ran.stdout).toContain("Still fails: ");
  });

  it("twice ends at once", async () => {
    const ran = await seqqa(["replay", "aa11"], { cwd, replay: (_input, interrupt) => (interrupt(), interrupt(), replayed()) });
    expect(ran.exits).toEqual([130]);
  });
});
