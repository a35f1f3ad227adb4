import { describe, expect, it } from "vitest";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ACTIONS, exploredModel, order } from "../diff/explored-model.ts";
import { document, EVIL } from "../reports/hostile-report.ts";
import { folderWith, seqqa } from "../../support/cli-harness.ts";

const clean = exploredModel(ACTIONS, order);
const other = exploredModel(ACTIONS, (state, action) => (state === "paid" && action === "refund" ? [500] : order(state, action)));
const textOf = (...explorations: readonly object[]): string => JSON.stringify({ ...document({}), explorations });
const evil = exploredModel([EVIL, ...ACTIONS], order, { name: clean.name, invariants: [EVIL] });
const cwd = folderWith({
  "base/results.json": textOf(clean),
  "same/results.json": textOf({ ...clean, seed: 3, durationMs: 5 }),
  "other/results.json": textOf(other),
  "evil/results.json": textOf(evil),
  "ledger.json": textOf({ ...clean, name: "ledger" }),
  "part.json": textOf({ ...clean, open: 3, stopReason: "max_steps" }),
  "wrong.json": '{"seqqa":"0.6.4"}',
  "broken.json": textOf({ ...clean, graph: { ...clean.graph, edgeTo: clean.graph.edgeTo.map(() => 99) } }),
  "text.json": "results",
  "seqqa.yaml": "",
});
const diff = (line: string) => seqqa(["diff", ...line.split(" ").filter((word) => word !== "")], { cwd });

describe("seqqa diff", () => {
  it("prints nothing for equal behaviour, whatever the format", async () => {
    for (const format of ["text", "markdown", "html"]) {
      expect(await diff(`base same --format ${format}`)).toMatchObject({ status: 0, stdout: "", stderr: "" });
    }
  });

  it("says on standard error that a run did not reach everything", async () => {
    expect(await diff("base part.json")).toMatchObject({
      status: 0,
      stdout: "",
      stderr: expect.stringMatching(/^note: shop of part\.json was not explored completely, so /),
    });
  });

  it("prints what changed, and names the ref of a baseline", async () => {
    expect(await diff("--against main --baseline base/results.json other")).toMatchObject({
      status: 1,
      stderr: "",
      stdout: [
        "The behaviour of the API changed from main to other/results.json.",
        "",
        "shop",
        "  answers",
        "    ~ refund: answers 500 instead of 200; it changes nothing, and changed the state before",
        "        create -> pay -> refund",
        "  size",
        "    ~ states: 3 instead of 4",
        "    ~ transitions: 7 instead of 9",
        "",
      ].join("\n"),
    });
  });

  it("writes a file, an empty one where nothing differs", async () => {
    expect(await diff("base other --format markdown --output diff.md")).toMatchObject({ status: 1, stdout: "" });
    expect(readFileSync(join(cwd, "diff.md"), "utf8")).toContain(
      "| changed | answer <code>refund</code> | <code>answers 500 instead of 200",
    );
    expect(await diff("base same --format markdown --output diff.md")).toMatchObject({ status: 0, stdout: "" });
    expect(readFileSync(join(cwd, "diff.md"), "utf8")).toBe("");
    expect(await diff("base same --format html --output diff.html")).toMatchObject({ status: 0 });
    expect(readFileSync(join(cwd, "diff.html"), "utf8")).toContain("<h1>Equal behaviour</h1>");
  });

  it.each(["text", "markdown", "html"])("shows hostile names inert as %s", async (format) => {
    const { status, stdout } = await diff(`base evil --format ${format}`);
    expect(status).toBe(1);
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e\u2028]/); // oxlint-disable-line no-control-regex
    if (format !== "text") expect(stdout).not.toContain("<script");
    expect(stdout).toContain("alert");
  });

  it.each<readonly [string, RegExp]>([
    ["", /^error: seqqa diff needs the run to compare with\.\nhint: Compare two stored runs: seqqa diff <before>/],
    ["a b c", /^error: You gave 3 runs, but seqqa diff compares two runs\.\n/],
    ["base other --baseline base/results.json", /^error: You gave 2 runs and --baseline, /],
    [
      "base --against main",
      /^error: --against only names the branch or commit\. seqqa diff also needs a results\.json of this branch or commit\.\nhint: Add --baseline /,
    ],
    ["base --baseline=", /^error: --baseline has an empty value\.\n/],
    ["base other --output=", /^error: --output has an empty value\.\n/],
    ["base other --format htlm", /^error: /],
    ["base nope", /^error: Run not found: nope is neither the id of a stored run nor an existing file\.\nhint: /],
    ["base", /^error: No run is stored in /],
    ["20261121-083020-123-4fd1 base", /^error: No run is stored in /],
    ["base text.json", /^error: seqqa cannot read the run in text\.json: its content is not JSON\.\nhint: Give a results\.json/],
    ["base wrong.json", /^error: seqqa cannot read the run in wrong\.json: \w+ does not fit the format of a seqqa result\.\n/],
    [
      "base broken.json",
      /^error: seqqa cannot read the run in base\/results\.json or broken\.json: the list edgeTo of the graph does not fit /,
    ],
    [
      "base ledger.json",
      /^error: base\/results\.json and ledger\.json have no exploration and no journey in common\.\nhint: [^\n]* shop; the second run has ledger\.\n$/,
    ],
  ])("%s is refused with 2", async (line, message) => {
    const { status, stdout, stderr } = await diff(line);
    expect([status, stdout, stderr]).toEqual([2, "", expect.stringMatching(message)]);
  });
});
