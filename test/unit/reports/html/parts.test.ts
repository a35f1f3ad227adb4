import { describe, expect, it } from "vitest";
import { comparedWith, type ComparedFinding } from "../../../../src/reports/index.ts";
import { comparisonPart } from "../../../../src/reports/html/sections/exploration-part.ts";
import { withFlags } from "../../../../src/reports/html/graph/embedded.ts";
import { LIMITS } from "../../../../src/reports/html/limits.ts";
import { decidingParts } from "../../../../src/reports/html/races/race-deciding.ts";
import { readableChanges, wholeState } from "../../../../src/reports/console/text/readable-changes.ts";
import { sequencePart } from "../../../../src/reports/html/races/sequence-part.ts";
import { sourceLink } from "../../../../src/reports/html/findings/source-link.ts";
import { explorationEntry } from "../../../../src/reports/document/run-document.ts";
import { gatedRace, race, raceCoverage } from "../../../support/race.ts";
import { result, violation } from "../../../support/results.ts";

const GITHUB = { url: "https://github.com/ann/shop", commit: "a".repeat(40), path: "api" };

describe("a link to a line of code", () => {
  it.each<readonly [string, string, Parameters<typeof sourceLink>[1], RegExp]>([
    ["without a place: text", "a.ts:1:2", undefined, /^a\.ts:1:2$/],
    [
      "an editor",
      "qa/a.ts:1:2",
      { editor: "idea://open?file={file}&line={line}", folder: "/home/ann" },
      /href="idea:\/\/open\?file=\/home\/ann\/qa\/a\.ts&amp;line=1"/,
    ],
    [
      "an absolute file",
      "/b/a.ts:1",
      { editor: "vscode://file{file}:{line}:{column}", folder: "/home/ann" },
      /href="vscode:\/\/file\/b\/a\.ts:1:1"/,
    ],
    [
      "a file of Windows",
      "a.ts:1:2",
      { editor: "vscode://file{file}:{line}", folder: "C:\\ann" },
      /href="vscode:\/\/file\/C:\/ann\/a\.ts:1"/,
    ],
    [
      "GitHub",
      "qa/a b.ts:12:5",
      { repository: GITHUB },
      /^qa\/a b\.ts:12:5 <a href="https:\/\/github\.com\/ann\/shop\/blob\/a{40}\/api\/qa\/a%20b\.ts#L12"/,
    ],
    ["GitHub, outside of the repository", "../../a.ts:1:2", { repository: GITHUB }, /^\.\.\/\.\.\/a\.ts:1:2$/],
    ["a script for an editor", "a.ts:1:2", { editor: "javascript://x/{file}", folder: "/" }, /^a\.ts:1:2$/],
    ["data for an editor", "a.ts:1:2", { editor: "DATA://x/{file}", folder: "/" }, /^a\.ts:1:2$/],
    [
      "markup in the name of a file",
      '"><img src=x>.ts:1:2',
      { editor: "vscode://file{file}", folder: "/" },
      /^<a href="vscode:\/\/file\/{1,2}%22%3E%3Cimg%20src%3Dx%3E\.ts" title="Open in the editor">&quot;&gt;&lt;img/,
    ],
    ["a repository elsewhere", "a.ts:1:2", { repository: { ...GITHUB, url: 'https://x/y" onclick=' } }, /^a\.ts:1:2$/],
  ])("%s", (_what, where, place, link) => {
    expect(sourceLink(where, place)).toMatch(link);
  });
});

describe("the changes of a step", () => {
  it("show a changed row of the root state as one row before and one after, without the signs that rows have in a state", () => {
    expect(
      readableChanges([
        '+ systems.db.orders + {id: 1, status: "paid", n: 1}',
        '+ systems.db.orders - {id: 1, status: "new", n: 1}',
        "+ context.a = 1",
      ]),
    ).toEqual(['- systems.db.orders {id: 1, status: "new"}', '+ systems.db.orders {id: 1, status: "paid"}', "+ context.a = 1"]);
    expect(readableChanges(["- systems.db.orders - {id: 1}"])).toEqual(["+ systems.db.orders {id: 1}"]);
    expect(readableChanges(["+ systems.db.orders + {id: 1}", "... and 3 more lines"])).toEqual([
      "+ systems.db.orders {id: 1}",
      "... and 3 more lines",
    ]);
  });

  it("belong to a whole state: the rows of the root state that are still there, and what came", () => {
    const root = ["systems.db.users + {id: 1}", "systems.db.users + {id: 2}", "context.old = 1"];
    expect(wholeState(root, ["systems.db.users - {id: 2}", "systems.db.users + {id: 3}", "context.user = 1"])).toEqual([
      "context.user = 1",
      "systems.db.users {id: 1}",
      "systems.db.users {id: 3}",
    ]);
  });
});

describe("a race", () => {
  it("is decided by the parts in which its outcomes differ", () => {
    const { observed, allowed } = race();
    expect(decidingParts([observed, ...allowed])).toEqual([
      { kind: "answer", text: "first: refund_order", values: [200, 200, 409] },
      { kind: "answer", text: "second: refund_order", values: [200, 409, 200] },
      { kind: "change", text: "+ refunds (amount = 100, id = 2, order_id = 1)", values: [1, 0, 0] },
    ]);
    expect(decidingParts([observed])).toEqual([]);
    expect(decidingParts([])).toEqual([]);
  });

  it("is drawn with the held call answered last; names are text", () => {
    const drawn = sequencePart(gatedRace({ second: "<b>" }));
    const [first] = drawn.split("</figure>");
    expect([...first!.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text)).toEqual([
      "first: refund_order",
      "target",
      "second: refund_order",
      "POST /orders/1/refund",
      "held before UPDATE orders",
      "POST /orders/1/refund",
      "200",
      "200",
    ]);
    expect(drawn).not.toContain("<b>");
  });
});

describe("a comparison with the previous run", () => {
  const invariants = ["c4", "d5"];
  const before = (id: string, more: Partial<ComparedFinding> = {}): ComparedFinding => ({
    id,
    name: id,
    severity: "high",
    isRace: false,
    ids: [id],
    path: ["create_order"],
    ...more,
  });
  const entry = (changes: Parameters<typeof result>[0]): Parameters<typeof comparedWith>[0] =>
    explorationEntry({ name: "shop", file: "a.ts", result: result(changes) }, { redact: [], includeRequestResponse: true });
  const now = [
    violation({ id: "a1" }),
    violation({
      id: "b2",
      operations: [
        { action: "x", id: "b2", count: 1 },
        { action: "y", id: "b3", count: 1 },
      ],
    }),
  ];
  const run = { run: "r", startedAt: "2026-11-20T08:30:20.123Z" };

  it("tells new findings, those that are still there by any of their ids, and those that are fixed", () => {
    const compared = comparedWith(entry({ invariants, violations: now }), {
      ...run,
      findings: [before("b3"), before("c4"), before("r5", { isRace: true, name: "create_order || create_order" })],
    });
    expect(compared).toMatchObject({ added: ["a1"], still: ["b2"], fixed: [{ id: "c4" }], unseen: [{ id: "r5" }] });
  });

  it("calls nothing fixed that a run may have missed", () => {
    const compared = comparedWith(entry({ invariants, violations: now, stopReason: "max_steps", open: 3 }), {
      ...run,
      findings: [before("c4")],
    });
    expect(compared).toMatchObject({ fixed: [], unseen: [{ id: "c4" }] });
    const unjudged = comparedWith(entry({ invariants, violations: now, unjudgedRules: ["c4"] }), {
      ...run,
      findings: [before("c4"), before("d5")],
    });
    expect(unjudged).toMatchObject({ fixed: [{ id: "d5" }], unseen: [{ id: "c4" }] });
  });

  it("calls nothing fixed behind a state that breaks a rule, unless its own path was executed", () => {
    const verdict = { complete: false, text: "", exceptions: [{ kind: "violating_states" as const, count: 1, text: "states behind" }] };
    const findings = [before("c4"), before("d5", { path: ["create_order", "create_order"] })];
    const compared = comparedWith(entry({ invariants, violations: now, verdict }), { ...run, findings });
    expect(compared).toMatchObject({ fixed: [{ id: "c4" }], unseen: [{ id: "d5" }] });
  });

  it("calls nothing fixed whose rule or call is no more, and says so", () => {
    const races = ["create_order || gone", "gone, 5 at once"].map((name) => before(name, { isRace: true, name }));
    const findings = [before("old"), before("c4", { path: ["gone"] }), ...races];
    const compared = comparedWith(entry({ invariants, raceCoverage: raceCoverage() }), { ...run, findings });
    expect(compared).toMatchObject({ fixed: [], unseen: [], unchecked: findings });
    expect(comparisonPart(compared, LIMITS[0]!)).toContain("4 no longer checked, because a rule or an action no longer exists");
  });
});

it.each([
  ["--config qa/seqqa.yaml", "npx seqqa open 1 --config qa/seqqa.yaml"],
  [
    "--config 'my qa/seqqa.yaml' --base-url 'http://a/?b=1&c'\\''d'",
    "npx seqqa open 1 --config 'my qa/seqqa.yaml' --base-url 'http://a/?b=1&c'\\''d'",
  ],
  ["--config $(id)", "npx seqqa open 1"],
  ["--config a; id", "npx seqqa open 1"],
  [undefined, "npx seqqa open 1"],
])("a command to copy has the flags %s only if a shell passes them on", (flags, command) => {
  expect(withFlags("npx seqqa open 1", flags)).toBe(command);
});
