import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { htmlText, jsonText, junitText, runDocument, summaryLines, type RunDocument, type RunReport } from "../../../src/reports/index.ts";
import { parseXml, type Element } from "../../support/xml.ts";
import { madeGraph } from "../../support/graph-data.ts";
import { race, raceCoverage } from "../../support/race.ts";
import { document, EVIL, evil, exchange, explored, ran, visibility } from "./hostile-report.ts";
import { report, result, step, violation } from "../../support/results.ts";
import { bodyText } from "../../../src/reports/html/text/safe-text.ts";

/** What junit-10.xsd of Jenkins' xunit plugin allows: attributes (! required), children. */
const SCHEMA: Readonly<Record<string, readonly [attributes: string, children: string]>> = {
  testsuites: ["name time tests failures errors", "testsuite"],
  testsuite: [
    "name! tests! failures! errors! group time skipped timestamp hostname id package file log url",
    "testsuite properties testcase system-out system-err",
  ],
  testcase: ["name! time classname group", "skipped error failure system-out system-err"],
  failure: ["type message", ""],
  error: ["type message", ""],
  skipped: ["type message", ""],
  "system-out": ["", ""],
};

function checked(element: Element): Element {
  const [attributes, children] = SCHEMA[element.name]!;
  const names = attributes.split(" ");
  for (const name of Object.keys(element.attributes)) expect(names.map((one) => one.replace("!", ""))).toContain(name);
  for (const name of names) if (name.endsWith("!")) expect(Object.keys(element.attributes)).toContain(name.slice(0, -1));
  if (element.attributes["time"] !== undefined) expect(element.attributes["time"]).toMatch(/^\d+\.\d{3}$/);
  for (const child of element.children) {
    expect(children.split(" ")).toContain(child.name);
    checked(child);
  }
  if (element.name.startsWith("testsuite")) {
    const cases = casesOf(element);
    const of = (kind: string): string => String(cases.filter((one) => one.children.some(({ name }) => name === kind)).length);
    expect(element.attributes).toMatchObject({ tests: String(cases.length), failures: of("failure"), errors: of("error") });
    if (element.name === "testsuite") expect(element.attributes["skipped"]).toBe(of("skipped"));
  }
  return element;
}

function casesOf({ name, children }: Element): readonly Element[] {
  return name === "testsuites" ? children.flatMap(casesOf) : children.filter((child) => child.name === "testcase");
}

const verdicts = (changes: Partial<RunReport>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    casesOf(checked(parseXml(junitText(document(changes))))).map(({ attributes, children: [first] }) => [
      `${attributes["classname"]}/${attributes["name"]}`,
      first === undefined ? "passed" : `${first.name}${first.attributes["type"] === undefined ? "" : ` ${first.attributes["type"]}`}`,
    ]),
  );

const html = (run: RunDocument): string => htmlText({ document: run, graphs: [] });

describe("junit", () => {
  it("says of an exploration that it was interrupted, so that what it did not come to is not taken for well", () => {
    const of = (stopReason: "interrupted" | "max_steps"): Readonly<Record<string, string>> =>
      verdicts({ explorations: [explored({ stopReason })] });
    expect(of("interrupted")).toMatchObject({ "shop.run/interrupted": "error interrupted" });
    expect(of("max_steps")).not.toHaveProperty("shop.run/interrupted");
  });

  it("has a case per invariant, per action and per step", () => {
    const coverage = {
      pairs: 1,
      actions: { pay: { applied: 3, skipped: 0, statuses: {} }, ship: { applied: 0, skipped: 9, statuses: {} } },
    };
    const error = { code: "ACTION_THREW", message: "boom", path: [], source: "pay", count: 1 };
    const divergence = { kind: "replay", path: ["pay"], message: "m", differences: ["a"] } as const;
    expect(
      verdicts({
        explorations: [
          explored({
            violations: [violation()],
            coverage,
            errors: [error],
            divergences: [divergence],
            invariants: ["refund_within_amount", "silent"],
          }),
        ],
        journeys: [ran()],
        failures: [{ file: "qa/x.explore.ts", code: "NO_AGENT", message: "m", hint: undefined }],
      }),
    ).toEqual({
      "shop.invariants/refund_within_amount": "failure critical",
      "shop.invariants/silent": "passed",
      "shop.actions/pay": "error ACTION_THREW",
      "shop.actions/ship": "skipped never_applied",
      "shop.run/replay 1": "error replay",
      "login/sign in": "passed",
      "login/read": "failure failed",
      "login/sign out": "skipped skipped",
      "run/qa/x.explore.ts": "error NO_AGENT",
    });
  });

  it("states no time that was not measured", () => {
    const failures = [{ file: "qa/x.explore.ts", code: "NO_AGENT", message: "m", hint: undefined }];
    const text = junitText(document({ explorations: [explored({})], failures }));
    expect(text.match(/<testsuite [^>]*>/g)!.map((suite) => / time="/.test(suite))).toEqual([true, false]);
    expect(text).not.toMatch(/<testcase [^>]* time="/);
  });

  it("a rule that was not fully checked is skipped", () => {
    const of = (changes: Parameters<typeof explored>[0]): readonly (string | undefined)[] => {
      const said = verdicts({ explorations: [explored({ invariants: ["refund_within_amount", "silent"], ...changes })] });
      return ["refund_within_amount", "silent"].map((name) => said[`shop.invariants/${name}`]);
    };
    const error = { message: "m", path: [], count: 1 };
    const [known, unjudgedRules] = [violation({ known: true }), ["refund_within_amount", "silent"]];
    expect(of({ unjudgedRules: ["silent"] })).toEqual(["passed", "skipped not_checked"]);
    expect(of({ unjudgedRules, violations: [violation()] })).toEqual(["failure critical", "skipped not_checked"]);
    expect(of({ unjudgedRules, violations: [known] })).toEqual(["system-out", "skipped not_checked"]);
    expect(of({ unjudgedRules, errors: [{ ...error, code: "INVARIANT_THREW", source: "silent" }] })).toEqual([
      "skipped not_checked",
      "error INVARIANT_THREW",
    ]);
    expect(of({ errors: [{ ...error, code: "TARGET_OVERLOADED", source: "shop" }] })).toEqual([
      "skipped not_checked",
      "skipped not_checked",
    ]);
  });

  it.each<readonly [string, Partial<RunReport>, string]>([
    ["a known finding", { explorations: [explored({ violations: [violation({ known: true })] })] }, "system-out"],
    [
      "one below the threshold",
      { failOnSeverity: "critical", explorations: [explored({ violations: [violation({ severity: "high" })] })] },
      "system-out",
    ],
    ["one where nothing fails the run", { failOnSeverity: "none", explorations: [explored({ violations: [violation()] })] }, "system-out"],
    [
      "one that was not confirmed",
      { explorations: [explored({ violations: [violation({ confirmed: false, notReplayed: true, notReplayedReason: "max_time" })] })] },
      "error not confirmed",
    ],
    ["a flaky one", { explorations: [explored({ violations: [violation({ confirmed: false })] })] }, "error flaky"],
    [
      "a built-in one",
      { explorations: [explored({ violations: [violation({ invariant: "pay_timeout", severity: "high" })], invariants: [] })] },
      "failure high",
    ],
  ])("%s agrees with the exit status", (_what, changes, expected) => {
    expect(Object.values(verdicts(changes))[0]).toBe(expected);
  });

  it("fails a rule that only a race breaks, unless the race is known", () => {
    const of = (known: true | undefined): string | undefined =>
      verdicts({
        explorations: [explored({ races: [race({ invariant: "refund_within_amount", known })], raceCoverage: raceCoverage() })],
      })["shop.invariants/refund_within_amount"];
    expect([of(undefined), of(true)]).toEqual(["failure high", "system-out"]);
  });

  it("has a case for each race, or one that passes where races were probed and none was found", () => {
    const of = (changes: Parameters<typeof result>[0], more: Partial<RunReport> = {}): readonly string[] =>
      Object.entries(verdicts({ ...more, explorations: [explored({ ...changes, invariants: [] })] }))
        .filter(([name]) => name.startsWith("shop.races/"))
        .map((one) => one.join(": "));
    const races = [
      race(),
      race({ second: "cancel_order", verdict: "invariant", invariant: "stock", severity: "medium" }),
      race({ copies: 3, known: true }),
    ];
    expect(of({ races, raceCoverage: raceCoverage() })).toEqual([
      "shop.races/refund_order || refund_order (state): failure high",
      "shop.races/refund_order || cancel_order (invariant stock): failure medium",
      "shop.races/refund_order, 3 at once (state): system-out",
    ]);
    expect(of({ races }, { failOnSeverity: "high" })[1]).toMatch(/: system-out$/);
    expect(of({ races }, { failOnSeverity: "none" })[0]).toMatch(/: system-out$/);
    expect(of({ raceCoverage: raceCoverage() })).toEqual(["shop.races/races: system-out"]);
    expect(of({})).toEqual([]);
  });

  it("a step that was interrupted is no failure of the target; one that timed out is", () => {
    const steps = [step({ name: "read", status: "failed", error: "Interrupted." }), step({ name: "sign out", status: "skipped" })];
    expect(verdicts({ journeys: [ran({ status: "failed", interrupted: true, steps })] })).toEqual({
      "login/read": "error interrupted",
      "login/sign out": "skipped skipped",
    });
    const late = [step({ name: "read", status: "timed_out" })];
    expect(verdicts({ journeys: [ran({ status: "timed_out", interrupted: true, steps: late })] })).toEqual({
      "login/read": "failure timed_out",
    });
  });

  it("is valid without anything", () => {
    expect(verdicts({})).toEqual({});
  });
});

describe("the rate of steps", () => {
  it("is the same in HTML as on the console: probing for races does not count", () => {
    const timed = { steps: 4_000, durationMs: 10_000, raceCoverage: { ...raceCoverage(), durationMs: 6_000 } };
    expect(summaryLines("shop", result(timed), { verbose: false, colours: pc.createColors(false) }).join("\n")).toContain(
      "10.0 s, 1,000 steps/s",
    );
    expect(html(document({ explorations: [explored(timed)] }))).toContain("10.0 s (1,000 steps/s)");
  });
});

describe("what the target answers is inert", () => {
  it("in JUnit: well-formed, valid, without control characters or escape sequences", () => {
    const text = junitText(document(evil));
    checked(parseXml(text));
    expect(text.match(/(?<!x1b\[|x9b)31m/)).toBeNull(); // but where the text of the console is taken over, which writes it out
    expect(text.match(/[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f]/)).toBeNull(); // oxlint-disable-line no-control-regex
  });

  it("in HTML: no element of its own, no script, nothing loaded", () => {
    const { text, data } = page();
    expect(JSON.parse(data)).toMatchObject({ graphs: [{ name: expect.stringContaining("<script>") }] });
    expect(data).not.toMatch(/[<>\u2028\u2029]/);
    const tags = new Set([...text.matchAll(/<\/?([a-z][\w-]*)/gi)].map(([, name]) => name));
    const own =
      "html head mark meta title style body main h1 h2 h3 h4 h5 p span nav ul ol li a article table thead tbody tr th td details summary pre header section div dl dt dd strong code time ins del svg rect figure figcaption line text path";
    expect([...tags].filter((name) => !own.split(" ").includes(name!))).toEqual([]);
    expect(text).not.toMatch(/\s(?:on\w+|src|style)=|href="(?!#)|url\(|@import/);
    expect(text).toContain("default-src 'none'");
    expect(text.match(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u2028]|[\ud800-\udbff](?![\udc00-\udfff])/)).toBeNull(); // oxlint-disable-line no-control-regex
    expect(text).toContain("&lt;/script&gt;&lt;script&gt;alert(1)");
  });

  /** The page without its own script and style, and the data that stands in it. */
  function page(): { readonly text: string; readonly data: string } {
    const graph = madeGraph({ nodes: 3, edges: 3, actions: 1, state: () => [EVIL], exchange: () => exchange });
    const whole = htmlText({ document: document(evil), graphs: [{ ...graph, actions: [EVIL] }] });
    const [, text, data] =
      /^([^]*)<script type="application\/json" id="data">([^<]*)<\/script>\n<script id="app">[^]*<\/script><\/body><\/html>\n$/.exec(
        whole,
      )!;
    return { text: `${text!.replace(/<style>[^]*?<\/style>/, "")}</body></html>`, data: data! };
  }

  it("lists the findings at the top with the most severe first", () => {
    const violations = (["low", "critical", "high"] as const).map((severity) => violation({ id: severity, invariant: severity, severity }));
    const [, list] = /<nav aria-label="Findings">([^]*?)<\/nav>/.exec(html(document({ explorations: [explored({ violations })] })))!;
    expect([...list!.matchAll(/href="#([^"]*)"/g)].map(([, to]) => to!.replace(/^finding-/, ""))).toEqual(["critical", "high", "low"]);
  });

  it("closes every element of HTML that it opens", () => {
    const open: string[] = [];
    for (const [, close, name, empty] of page().text.matchAll(/<(\/?)([a-z][\w]*)[^>]*?(\/?)>/g)) {
      expect(empty).toBe("");
      if (name === "meta") continue;
      if (close === "") open.push(name!);
      else expect(open.pop()).toBe(name);
    }
    expect(open).toEqual([]);
  });
});

describe("a journey's secrets", () => {
  it.each([
    ["json", jsonText],
    ["junit", junitText],
    ["html", html],
  ] as const)("are in no %s: bodies, queries, headers, args, context, errors", (_name, textOf) => {
    const text = textOf(document({ journeys: [ran()] }));
    expect(text).not.toMatch(/secret-\d/);
    expect(text).toContain("[redacted]");
  });

  it("and requests and responses are left out when that is asked for", () => {
    const hidden = runDocument(report({ journeys: [ran()] }), { ...visibility, includeRequestResponse: false });
    expect(hidden.journeys[0]!.steps.flatMap(({ requests }) => requests)).toEqual([]);
  });

  it("and what JSON has no word for is written as text", () => {
    const circle: Record<string, unknown> = { a: 1 };
    circle["self"] = circle;
    const set = {
      circle,
      map: new Map([["password", "secret-8"]]),
      when: new Date(0),
      bytes: new Uint8Array(3),
      none: undefined,
      nan: NaN,
      list: [undefined, 1n],
    };
    const [entry] = document({ journeys: [ran({ steps: [step({ context: { set, deleted: [] } })] })] }).journeys;
    expect(JSON.parse(JSON.stringify(entry!.steps[0]!.context.set))).toEqual({
      circle: { a: 1, self: "[circular]" },
      map: { password: "[redacted]" },
      when: "1970-01-01T00:00:00.000Z",
      bytes: "[3 bytes]",
      nan: "NaN",
      list: [null, "1"],
    });
  });
});

it("keeps the HTML report under 10 MB with any number of errors and divergences, and says what it left out", () => {
  const long = "some words ".repeat(1_400);
  const errors = Array.from({ length: 350 }, (_, n) => ({
    code: "ACTION_THREW",
    source: `a${n}`,
    message: long,
    stack: long,
    path: [],
    count: 1,
  }));
  const divergences = Array.from({ length: 50 }, () => ({ kind: "replay" as const, path: [], message: long, differences: [] }));
  const text = html(document({ explorations: [explored({ errors, divergences })] }));
  expect(Buffer.byteLength(text)).toBeLessThan(10_000_000);
  expect(text).toContain('Errors <span class="quiet">350</span>');
  expect(text).toContain("more characters, left out to limit the size of this file");
});

describe("long texts in the HTML report", () => {
  const long = violation({
    message: "x".repeat(100_000),
    reproductionPath: Array.from({ length: 600 }, () => "refund_order"),
    shrunkFrom: Array.from({ length: 5_000 }, () => "refund_order"),
  });
  const text = html(document({ explorations: [explored({ violations: [long] })] }));

  it("are cut on one line, without an escaped line break", () => {
    expect(/x \.\.\. [\d,]+ more characters, left out/.test(text)).toBe(true);
    expect(text.includes(String.raw`\n...`)).toBe(false);
  });

  it("are copied whole or not at all", () => {
    expect(text.includes(`data-copy="${long.reproductionPath.join(" -&gt; ")}"`)).toBe(true);
    expect(/data-copy="[^"]*left out/.test(text)).toBe(false);
  });
});

it("indents a deeply nested answer of JSON in the HTML report to a limited depth", () => {
  const text = bodyText("[".repeat(20_000) + "]".repeat(20_000), 20_000);
  expect(text.startsWith("[\n  [\n    [\n")).toBe(true);
  expect(text).toContain("more characters");
});
