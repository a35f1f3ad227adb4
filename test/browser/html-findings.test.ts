import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RecordedStep } from "../../src/model/results/result.ts";
import { htmlText, runDocument, type Comparison } from "../../src/reports/index.ts";
import { full, some } from "../sizes.ts";
import { startBrowser } from "../support/browser.ts";
import { emptyFolder } from "../support/e2e.ts";
import { madeGraph } from "../support/graph-data.ts";
import { exchangeOf, race } from "../support/race.ts";
import { report, result, violation } from "../support/results.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const ROOT = ['systems.db.users + {id: 1, name: "ann"}', "context.user = 1"];
const PAID = ["context.user = 1", 'systems.db.users + {id: 1, name: "bob"}', 'systems.db.users - {id: 1, name: "ann"}'];

/** A step as an exploration records it. */
const recorded = (action: string, changes: Partial<RecordedStep> = {}): RecordedStep => ({
  action,
  status: 200,
  requests: [exchangeOf("POST", `/${action}`, 200, "{}")],
  changes: [],
  state: ["context.user = 1"],
  ...changes,
});
const renamed = recorded("rename", {
  state: PAID,
  changes: ['+ systems.db.users + {id: 1, name: "bob"}', '+ systems.db.users - {id: 1, name: "ann"}'],
  printed: ["renamed 1 user"],
});
const violations = [
  violation({
    id: "aaa1",
    invariant: "names_stay",
    severity: "medium",
    reproductionPath: ["rename"],
    steps: [renamed],
    where: "qa/shop.explore.ts:3:1",
    state: 1,
  }),
  violation({
    id: "aaa2",
    invariant: "balance",
    severity: "critical",
    reproductionPath: ["log_in", "rename"],
    steps: [recorded("log_in"), renamed],
    state: 2,
  }),
  violation({ id: "aaa3", invariant: "audit", severity: "high", reproductionPath: ["rename"], steps: [], confirmed: false, state: null }),
];
const comparison: Comparison = {
  run: "20261120-083020-123-4fd1",
  startedAt: "2026-11-20T08:30:20.123Z",
  added: ["aaa1"],
  still: ["aaa2", "aaa3", race().id],
  fixed: [{ id: "bbb1", name: "was_broken", severity: "high", isRace: false, ids: ["bbb1"], path: [] }],
  unseen: [],
  unchecked: [],
};

let browser: Browser;
/** The same report with a large graph and with a small one. */
let large: string;
let small: string;

beforeAll(async () => {
  browser = await startBrowser();
  const setup = recorded("setup", { state: ROOT, requests: [exchangeOf("POST", "/seed", 201, "{}")], changes: undefined });
  const explored = result({
    setup,
    violations,
    races: [race()],
    coverage: { actions: { rename: { applied: 1, skipped: 0, statuses: { "200": 1 }, role: "admin" } }, pairs: 1 },
  });
  const source = {
    editor: "vscode://file{file}:{line}:{column}",
    folder: "/home/ann/my shop",
    repository: { url: "https://github.com/ann/shop", commit: "0".repeat(40), path: "api" },
  };
  const exploration = { name: "shop", file: "qa/shop.explore.ts", result: explored };
  const document = runDocument(report({ explorations: [exploration], exitStatus: 1, source }), {
    redact: [],
    includeRequestResponse: true,
  });
  const status = ["created", "paid", "shipped", "cancelled"];
  const state = (node: number): readonly string[] =>
    node === 0 ? [] : [`systems.db.orders + {id: #1, status: "${status[node % 4]!}", amount: ${node % 3}}`];
  const written = (nodes: number, edges: number): string => {
    const file = join(emptyFolder(), "report.html");
    const graph = madeGraph({ nodes, edges, actions: 6, state });
    writeFileSync(file, htmlText({ document, graphs: [graph], comparisons: [comparison] }));
    return file;
  };
  large = written(2_000, 5_000);
  small = written(30, 60);
}, 300_000);

afterAll(async () => {
  await browser?.close();
});

interface Opened {
  readonly page: Page;
  readonly complaints: string[];
  close(): Promise<void>;
}

/** In the quick suite the tests that need no other options share a page, because a new one costs as much as loading the report. */
let shared: Promise<Opened> | undefined;

async function open(file: string, options: BrowserContextOptions = {}): Promise<Opened> {
  if (full || Object.keys(options).length > 0) return openAnew(file, options);
  const opened = await (shared ??= openAnew(file, options));
  await opened.page.evaluate("localStorage.clear()");
  await opened.page.goto("about:blank");
  opened.complaints.length = 0;
  await opened.page.goto(`file://${file}`);
  return { ...opened, close: () => Promise.resolve() };
}

async function openAnew(file: string, options: BrowserContextOptions): Promise<Opened> {
  const context = await browser.newContext({ offline: true, reducedMotion: "reduce", viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`file://${file}`);
  return { page, complaints, close: () => context.close() };
}

const shown = (page: Page): Promise<readonly string[]> =>
  page.locator(".finding:visible .title > span:not(.mark):not(.quiet)").allInnerTexts();

describe("the findings of the HTML report", () => {
  it("are sorted by severity at first, and by the reader's choice; filters and search narrow them, a link shows a hidden one", async () => {
    const { page, complaints, close } = await open(small);
    expect(await shown(page)).toEqual(["balance", "audit", "refund_order || refund_order", "names_stay"]);
    const controls = page.getByRole("group", { name: "Sort and filter findings" });
    await controls.getByLabel("Sort by").selectOption("name");
    expect(await shown(page)).toEqual(["audit", "balance", "names_stay", "refund_order || refund_order"]);
    await controls.getByLabel("Kind").selectOption("rule");
    await controls.getByLabel("Status").selectOption("new");
    expect(await shown(page)).toEqual(["names_stay"]);
    expect(await controls.getByRole("status").innerText()).toBe("1 of 4 findings.");
    await page.locator("nav a", { hasText: "audit" }).click();
    await expect.poll(() => shown(page)).toHaveLength(4);
    await controls.getByRole("searchbox").fill("RENAMED 1 USER");
    await expect.poll(() => shown(page)).toEqual(["balance", "names_stay"]);
    await controls.getByRole("button", { name: "Show all" }).click();
    expect(await shown(page)).toHaveLength(4);
    expect(complaints).toEqual([]);
    await close();
  });

  it("show each step with its role, the whole state, its change and the target's output; setup comes first", async () => {
    const { page, close } = await open(small);
    const finding = page.locator("#finding-aaa2");
    expect(await finding.locator(".where").innerText()).toBe("Step 2 of 2: rename, fails here");
    const step = finding.locator("li.current");
    expect(await step.locator(".head").innerText()).toMatch(/rename\s+as admin\s+200\s+fails here/);
    expect(await step.locator(".body > .diff > *").allInnerTexts()).toEqual([
      '- systems.db.users {id: 1, name: "ann"}',
      '+ systems.db.users {id: 1, name: "bob"}',
    ]);
    await step.getByText("Whole state after this step").click();
    expect(await step.locator(".whole .diff > *").allInnerTexts()).toEqual([
      "  context.user = 1",
      '- systems.db.users {id: 1, name: "ann"}',
      '+ systems.db.users {id: 1, name: "bob"}',
    ]);
    await step.getByText("The target's output").click();
    expect(await step.locator(".printed-lines pre").innerText()).toBe("renamed 1 user");
    await finding.locator("button.head").first().press("Home");
    expect(await finding.locator(".where").innerText()).toBe("Setup, before the first step");
    expect(await step.innerText()).toMatch(/POST http.*\/seed[^]*systems\.db\.users \{id: 1, name: "ann"\}/);
    await close();
  });

  it("link to the editor and to GitHub, and say what is new and what is fixed", async () => {
    const { page, close } = await open(small);
    const links = page.locator("#finding-aaa1 .facts a");
    expect(await links.evaluateAll((all) => all.map((one) => (one as unknown as { href: string }).href).slice(1))).toEqual([
      "vscode://file/home/ann/my%20shop/qa/shop.explore.ts:3:1",
      `https://github.com/ann/shop/blob/${"0".repeat(40)}/api/qa/shop.explore.ts#L3`,
    ]);
    expect(await page.locator(".finding .mark.new").count()).toBe(1);
    expect(await page.locator(".comparison").innerText()).toMatch(/1 new, 3 still there, 1 fixed\.[^]*was_broken/);
    await close();
  });
});

describe("a large graph in the HTML report", () => {
  it("is shown in groups at first; a group's states are shown one by one, by keyboard alone", async () => {
    const { page, complaints, close } = await open(large);
    const note = page.locator("section.graph > .note[role=status]");
    expect(await note.innerText()).toMatch(/^2,000 states are shown in 13 groups, by db\.orders\.amount, db\.orders\.status\./);
    await page.locator(".results input").fill("status: paid");
    await page.locator(".results input").press("Enter");
    const details = page.locator(".details");
    expect(await details.locator("h4").innerText()).toMatch(/^Group \d+: 16[67] states$/);
    await details.getByText("States of this group").press("Enter");
    await details
      .getByRole("button", { name: /^state \d+$/ })
      .first()
      .press("Enter");
    expect(await details.locator("h4").innerText()).toMatch(/^State \d+$/);
    expect(await note.isVisible()).toBe(false);
    expect(complaints).toEqual([]);
    await close();
  });

  it("has the paths between two states", async () => {
    const { page, close } = await open(large);
    await page.getByText(/^Grouped by/).click();
    await page.getByRole("button", { name: "Each state by itself" }).press("Enter");
    await page.getByText("Paths between two states").press("Enter");
    await page.getByLabel("to state").fill("1500");
    await page.getByLabel("to state").press("Enter");
    expect(await page.locator(".finder [role=status]").innerText()).toMatch(/of the shortest paths; the first one is highlighted/);
    expect(await page.locator(".ways li").first().innerText()).toMatch(/^\d+ steps: action_\d( -> action_\d)+$/);
    await page.getByLabel("to state").fill("99999");
    await page.getByRole("button", { name: "Find paths" }).press("Enter");
    expect(await page.locator(".finder [role=status]").innerText()).toBe("Give the numbers of two states that this graph has.");
    await close();
  });

  const looks = [
    ["dark", 390],
    ["light", 1440],
  ] as const;
  it.each(some(looks, 1))("has nothing that axe finds in the %s theme, %i pixels wide, and is no wider", async (colorScheme, width) => {
    const { page, close } = await open(large, { colorScheme, viewport: { width, height: 844 } });
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    await page.evaluate(axe);
    const found = (await page.evaluate(
      "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))",
    )) as readonly string[];
    expect(found).toEqual([]);
    await close();
  });
});
