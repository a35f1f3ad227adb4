import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inertOutput, reportToGithub, runDocument, type RunReport } from "../../../src/reports/index.ts";
import { some } from "../../sizes.ts";
import { race } from "../../support/race.ts";
import { HOSTILE, journey, report, result, Sink, violation } from "../../support/results.ts";

const EVIL = `${HOSTILE} a%0Ab::error::x,y:z | \`x\` <b> @octocat #1 https://evil.example **b** \\| [l](x) &amp; \r\n::add-mask::x\n##[error]x`;
const explored = (changes: Parameters<typeof result>[0]) => ({ name: "shop", file: "shop.explore.ts", result: result(changes) });

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "seqqa-github-"))));
afterEach(() => rmSync(folder, { recursive: true }));

interface Told {
  readonly commands: readonly { readonly level: string; readonly properties: Readonly<Record<string, string>>; readonly message: string }[];
  readonly summary: string;
}

/** What GitHub makes of it: commands are read as its runner reads them. */
function told(changes: Partial<RunReport>, before = ""): Told {
  const summary = join(folder, "summary.md");
  writeFileSync(summary, before);
  const stderr = new Sink();
  const document = runDocument(report(changes), { redact: ["token"], includeRequestResponse: true });
  const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary, GITHUB_WORKSPACE: "/work/repo" };
  reportToGithub(document, { env, cwd: "/work/repo/qa", stderr });
  const unescaped = (text: string): string =>
    text.replaceAll("%0D", "\r").replaceAll("%0A", "\n").replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%25", "%");
  const commands = stderr.text
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [all, level = "", properties = "", message = ""] = /^::(\w+) (.*?)::(.*)$/.exec(line) ?? [];
      expect(all, line).toBeDefined();
      const pairs = properties
        .split(",")
        .map((pair) => [pair.slice(0, pair.indexOf("=")), unescaped(pair.slice(pair.indexOf("=") + 1))] as const);
      return { level, properties: Object.fromEntries(pairs), message: unescaped(message) };
    });
  return { commands, summary: readFileSync(summary, "utf8") };
}

describe("annotations", () => {
  it("stand at the rule, else at the exploration, and have the finding as it is printed", () => {
    const { commands } = told({
      explorations: [
        explored({
          violations: [
            violation({ where: "shop.explore.ts:12:5" }),
            violation({ invariant: "flaky", confirmed: false, severity: "high" }),
            violation({ known: true }),
          ],
          errors: [{ code: "ACTION_THREW", message: "boom", path: ["pay"], source: "pay", where: "/elsewhere/a.ts:3:1", count: 1 }],
        }),
      ],
      journeys: [{ name: "login", file: "login.ts", result: journey(), notes: [] }],
    });
    expect(
      commands.map(({ level, properties }) => [level, properties["file"], properties["line"], properties["col"], properties["title"]]),
    ).toEqual([
      ["error", "qa/shop.explore.ts", "12", "5", "CRITICAL refund_within_amount"],
      ["error", "/elsewhere/a.ts", "3", "1", "ACTION_THREW in pay"],
      ["error", "qa/journeys/login.ts", "12", "5", "Journey login: read failed"],
      ["warning", "qa/shop.explore.ts", undefined, undefined, "HIGH flaky (flaky)"],
    ]);
    expect(commands[0]!.message).toContain("path      create_order -> refund_order -> refund_order\n  request   POST");
  });

  it("stand at the action of a race, an error where it fails the run; listed ones have none", () => {
    const races = [race(), race({ severity: "low", verdict: "responses" }), race({ known: true })];
    const { commands, summary } = told({ failOnSeverity: "medium", explorations: [explored({ races })] });
    expect(commands.map(({ level, properties }) => [level, properties["line"], properties["title"]])).toEqual([
      ["error", "20", "HIGH race refund_order || refund_order"],
      ["warning", "20", "LOW race refund_order || refund_order"],
    ]);
    expect(commands[0]!.message).toContain("  observed  at the same time: 200, 200\n");
    expect(summary.match(/^\| (HIGH|LOW|HIGH \(known\)) \| race, /gm)).toHaveLength(3);
    expect(summary).toMatch(/\| 187,525 \| 3 \| 0 \| 0 \|/);
  });

  it("and the job summary say why a result is unverified although nothing failed", () => {
    const { commands, summary } = told({ explorations: [explored({ unverified: ["pay never did anything"] })], exitStatus: 3 });
    expect(commands).toMatchObject([
      { level: "error", properties: { file: "qa/shop.explore.ts", title: "Unverified" }, message: "shop: pay never did anything" },
    ]);
    expect(summary).toContain("### Why the result is unverified");
    expect(summary).toContain("| unverified | <code>pay never did anything</code> |");
  });

  it("are at most ten of a level, the rest counted in one", () => {
    const many = (count: number, changes: Parameters<typeof violation>[0]) => Array.from({ length: count }, () => violation(changes));
    const { commands } = told({ explorations: [explored({ violations: [...many(12, {}), ...many(11, { confirmed: false })] })] });
    const count = (level: string): number => commands.filter((one) => one.level === level).length;
    expect([count("error"), count("warning"), count("notice")]).toEqual([10, 10, 1]);
    expect(commands.at(-1)!.message).toMatch(/^2 errors and 1 warning are not shown here, /);
  });

  it("are one command each, whatever they say", () => {
    const { commands } = told({
      explorations: [
        { ...explored({ violations: [violation({ invariant: EVIL, message: EVIL, reproductionPath: [EVIL] })] }), name: EVIL, file: EVIL },
      ],
      failures: [{ file: EVIL, code: EVIL, message: EVIL, hint: EVIL }],
    });
    expect(commands.map(({ level }) => level)).toEqual(["error", "error"]);
    expect(commands[1]!.properties["title"]).toContain("a%0Ab::error::x,y:z");
    expect(commands.flatMap(({ message, properties }) => [message, ...Object.values(properties)]).join("")).not.toMatch(
      /[\0-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028]/,
    ); // oxlint-disable-line no-control-regex
  });
});

describe("the job summary", () => {
  it("has tables of findings, explorations, journeys and what kept the run from being sure, after what the file had", () => {
    const { summary } = told(
      {
        explorations: [
          explored({
            violations: [violation({ where: "shop.explore.ts:12:5" })],
            divergences: [{ kind: "replay", path: ["pay"], message: "m", differences: [] }],
          }),
        ],
        journeys: [{ name: "login", file: "login.ts", result: journey(), notes: [] }],
        exitStatus: 1,
      },
      "before\n",
    );
    expect(summary).toMatchSnapshot();
  });

  it("has nothing in it that is markup, a mention, a link or a row of its own", () => {
    const { summary } = told({
      explorations: [
        {
          ...explored({
            violations: [
              violation({
                id: EVIL,
                invariant: EVIL,
                message: EVIL,
                reproductionPath: [EVIL],
                where: EVIL,
                response: { status: 200, headers: {}, body: EVIL },
              }),
            ],
            errors: [{ code: EVIL, message: EVIL, path: [EVIL], source: EVIL, where: EVIL, count: 1 }],
          }),
          name: EVIL,
          file: EVIL,
        },
      ],
      failures: [{ file: EVIL, code: EVIL, message: EVIL, hint: undefined }],
      known: { file: EVIL, found: [], stale: [EVIL], unseen: [] },
    });
    // Of what was quoted nothing is left but letters, digits, blanks and references.
    const cells = [...summary.matchAll(/<code>(.*?)<\/code>/g)].map(([, content]) => content!);
    expect(cells.length).toBeGreaterThan(10);
    for (const cell of cells) expect(cell.replace(/&#\d+;/g, "")).not.toMatch(/[!-/:-@[-`{-~]/);
    expect(cells.join("")).toContain("&#64;octocat");
    // And outside of it there is only what seqqa wrote.
    expect(summary.replace(/<code>.*?<\/code>/g, "")).not.toMatch(/octocat|evil|mask|title/);
    for (const line of summary.split("\n").filter((one) => one.startsWith("|")))
      expect(line.match(/ \|(?= |$)/g)!.length).toBeGreaterThan(4);
  });

  // Each time more rows than there is room for.
  const sizes = [
    [400_000, 800],
    [1024 * 1024 - 150, 5],
    [1024 * 1024, 5],
    [0, 1300],
  ] as const;
  it.each(some(sizes, 3))("fits into 1 MiB with the %i bytes that were there, and says what was cut", (size, count) => {
    const violations = Array.from({ length: count }, (_, index) => violation({ id: `${index}`, message: "€".repeat(290) }));
    const { summary, commands } = told({ explorations: [explored({ violations })] }, "x".repeat(size));
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(1024 * 1024);
    if (size === 1024 * 1024) return expect(commands.at(-1)!.message).toContain("limit of 1 MiB");
    if (size > 1_000_000) return expect(summary).toMatch(/## seqqa: .*\n\n[\d,]+ rows left out/);
    const rows = summary.match(/^\| CRITICAL/gm)!.length;
    expect(Number(/^([\d,]+) rows left out/m.exec(summary)![1]!.replace(",", "")) + rows).toBe(count);
    expect(Buffer.byteLength(summary)).toBeGreaterThan(1_000_000);
  });
});

describe("what is printed in a step", () => {
  it("is no command: text says where it would have been one, a document is the same document", () => {
    const sink = new Sink();
    inertOutput(sink, "text").write(":: a\n  ::add-mask::x\na::b ##[error]y\n:::\n");
    expect(sink.text).toBe("\\x3a: a\n  \\x3a:add-mask::x\na::b #\\x23[error]y\n\\x3a::\n");
    const json = new Sink();
    const value = { a: "##[error]\n::x" };
    inertOutput(json, "json").write(JSON.stringify(value));
    expect(json.text).not.toContain("##[");
    expect(JSON.parse(json.text)).toEqual(value);
  });
});
