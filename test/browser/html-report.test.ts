import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { main } from "../../src/cli/index.ts";
import type { RecordedExchange } from "../../src/model/results/result.ts";
import type { Embedded } from "../../src/reports/html/graph/embedded.ts";
import { htmlText, runDocument } from "../../src/reports/index.ts";
import { full, some } from "../sizes.ts";
import { startBrowser } from "../support/browser.ts";
import { emptyFolder, root } from "../support/e2e.ts";
import { madeGraph } from "../support/graph-data.ts";
import { program } from "../support/services/service.ts";
import { journey, report, result, Sink, step, violation } from "../support/results.ts";

// The command from its sources, in this process: the exploration is imported by the test runner, which takes TypeScript, and not bundled for Node.
vi.mock(import("../../src/run/prepare/load-exploration.ts"), () => ({
  loadExploration: async (entry: string) =>
    ({ module: undefined, definition: ((await import(entry)) as { readonly agent: never }).agent }) as never,
}));

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A page, what it complained of, and what it asked the network for. */
interface Opened {
  readonly page: Page;
  readonly context: Pick<BrowserContext, "close">;
  readonly complaints: string[];
  readonly requests: string[];
}

let browser: Browser;
let folder: string;
let shop: string;

beforeAll(async () => {
  browser = await startBrowser();
  folder = emptyFolder();
  const [stdout, stderr] = [new Sink(), new Sink()];
  const shell = { stdout, stderr, env: { BUG: "all" }, cwd: root, onInterrupt: () => () => undefined, exit: () => undefined };
  const status = await main(["run", "fixtures/shop", "--output", folder], shell);
  expect({ status, stderr: stderr.text }).toMatchObject({ status: 1 });
  shop = join(folder, "report.html");
}, 300_000);

afterAll(async () => {
  await browser?.close();
});

/** In the quick suite the tests that need no other options share a page, because a new one costs as much as loading the report. */
let shared: Promise<Opened> | undefined;

async function open(file: string, options: BrowserContextOptions = {}, hash = ""): Promise<Opened> {
  if (full || Object.keys(options).length > 0) return openAnew(file, options, hash);
  const opened = await (shared ??= openAnew(file, options, hash));
  await opened.page.emulateMedia({ media: null });
  await opened.page.evaluate("localStorage.clear()");
  await opened.page.goto("about:blank");
  opened.complaints.length = opened.requests.length = 0;
  await opened.page.goto(`file://${file}${hash}`);
  return { ...opened, context: { close: () => Promise.resolve() } };
}

async function openAnew(file: string, options: BrowserContextOptions, hash: string): Promise<Opened> {
  const context = await browser.newContext({ offline: true, reducedMotion: "reduce", viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(`file://${file}${hash}`);
  return { page, context, complaints, requests };
}

/** Nothing went wrong, and nothing but the file itself (and the worker made of it) was asked for. */
function expectQuiet({ complaints, requests }: Opened, file: string): void {
  expect(complaints).toEqual([]);
  expect(requests.filter((url) => !url.startsWith("blob:") && !url.startsWith(`file://${file}`))).toEqual([]);
}

/** What axe finds. */
async function axeFor(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as {
    readonly violations: readonly { id: string; nodes: readonly { html: string }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

describe("the report of a real run", () => {
  it("opens a finding and steps through it, by buttons and by arrow keys", async () => {
    const opened = await open(shop);
    const { page } = opened;
    const finding = page.locator(".finding", { hasText: "refund_within_amount" });
    const where = finding.locator(".where");
    const body = finding.locator("li.current .body");
    // The worst finding is open, at the step that fails.
    expect(await where.textContent()).toBe("Step 4 of 4: refund_order, fails here");
    expect(await body.locator(".why").textContent()).toContain("Requests of the rule after the last step");
    await finding.locator("button.head").first().press("Home");
    expect(await where.textContent()).toBe("Step 1 of 4: create_order");
    expect(await body.textContent()).toContain('"amount": 100');
    expect(await body.locator("ins").allTextContents()).toContainEqual(expect.stringMatching(/^\+ systems\.db\.orders.*"created"/));
    await finding.getByRole("button", { name: "Next step" }).click();
    expect(await where.textContent()).toBe("Step 2 of 4: pay_order");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    expect(await where.textContent()).toBe("Step 4 of 4: refund_order, fails here");
    expect(await body.textContent()).toMatch(/POST http.*\/refund[^]*"refunded": 200/);
    expect(await finding.locator(".body:visible").count()).toBe(1);
    await page.keyboard.press("ArrowLeft");
    expect(await where.textContent()).toBe("Step 3 of 4: refund_order");
    // The graph goes along: the state after the step.
    expect(await page.locator(".details h4").textContent()).toMatch(/^State \d+$/);
    expectQuiet(opened, shop);
    await opened.context.close();
  });

  it("shows a finding's curl script whole, and copies it", async () => {
    const { violations } = (
      JSON.parse(readFileSync(join(folder, "results.json"), "utf8")) as { explorations: { violations: { id: string; curl: string }[] }[] }
    ).explorations[0]!;
    const { id, curl } = violations[0]!;
    const opened = await open(shop, { permissions: ["clipboard-read", "clipboard-write"] }, `#finding-${id}`);
    const finding = opened.page.locator(`#finding-${id}`);
    await finding.getByText("As a curl script").click();
    expect((await finding.locator(".curl pre").textContent())!.trim()).toBe(curl.trim());
    await finding.locator(".curl").getByRole("button", { name: "Copy" }).click();
    await finding.locator(".curl").getByText("Copied").waitFor();
    expect(await opened.page.evaluate("navigator.clipboard.readText()")).toBe(curl);
    await opened.context.close();
  });

  // html-races leads to findings by their ids, too.
  it.runIf(full)("leads to a finding by its id", async () => {
    const id = (
      JSON.parse(readFileSync(join(folder, "results.json"), "utf8")) as {
        explorations: { violations: { id: string; invariant: string }[] }[];
      }
    ).explorations[0]!.violations.at(-1)!;
    const opened = await open(shop, {}, `#finding-${id.id}`);
    const finding = opened.page.locator(`#finding-${id.id}`);
    expect(await finding.locator("details").first().getAttribute("open")).not.toBeNull();
    expect(await finding.textContent()).toContain(id.invariant);
    await opened.context.close();
  });

  it("searches the graph and follows it without a mouse", async () => {
    const opened = await open(shop);
    const { page } = opened;
    const search = page.locator(".results input");
    await search.fill("63");
    await search.press("Enter");
    const details = page.locator(".details");
    expect(await details.locator("h4").textContent()).toBe("State 63");
    expect(await details.locator(".diff").textContent()).toMatch(/- systems\.db\.orders[^]*\+ systems\.db\.orders/);
    await details
      .getByRole("button", { name: /^state \d+$/ })
      .first()
      .press("Enter");
    expect(await details.locator("h4").textContent()).not.toBe("State 63");
    expect(await page.evaluate("document.activeElement.tagName")).toBe("H4");
    await search.fill("ship_order");
    await page.locator(".results [role=status]", { hasText: /0 states, 42 transitions/ }).waitFor();
    await search.press("Enter");
    expect(await details.locator("h4").textContent()).toMatch(/^ship_order \d+$/);
    expect(await details.locator("pre").first().textContent()).toMatch(/^POST http.*\/ship$/m);
    expectQuiet(opened, shop);
    await opened.context.close();
  });

  it("shows what is clicked on: a state, a transition", async () => {
    const opened = await open(shop);
    const { page } = opened;
    await page.locator("canvas.graph[data-layout=done]").waitFor();
    await page.locator("canvas.graph").scrollIntoViewIfNeeded();
    const point = async (): Promise<{ x: number; y: number }> => {
      const [x, y] = (await page.locator("canvas.graph").getAttribute("data-chosen"))!.split(" ").map(Number);
      return { x: x!, y: y! };
    };
    const chosen = async (query: string, heading: RegExp): Promise<{ x: number; y: number }> => {
      await page.locator(".results input").fill(query);
      await page.locator(".results input").press("Enter");
      await page.locator(".details h4", { hasText: heading }).waitFor();
      return point();
    };
    // The view moves until a selection is visible, and again when the list of results closes: once more, until all positions stay.
    await vi.waitFor(
      async () => {
        const state = await chosen("63", /^State 63$/);
        const transition = await chosen("create_order", /^create_order 201$/);
        await page.locator(".results input").fill("");
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
        expect([await point(), await chosen("63", /^State 63$/)]).toEqual([transition, state]);
        await chosen("create_order", /^create_order 201$/);
        await page.locator(".results input").fill("");
        await page.locator("canvas.graph").click({ position: state });
        expect(await page.locator(".details h4").textContent()).toBe("State 63");
        await page.locator("canvas.graph").click({ position: transition });
        expect(await page.locator(".details h4").textContent()).toBe("create_order 201");
      },
      { timeout: 15_000 },
    );
    expect(await page.locator(".details").textContent()).toMatch(/POST http.*\/orders[^]*"amount": 100[^]*201[^]*"status": "created"/);
    expectQuiet(opened, shop);
    await opened.context.close();
  });

  it.each(some(["dark", "light"] as const, 1))(
    "has nothing that axe finds in the %s theme, and keeps the theme that was chosen",
    async (colorScheme) => {
      const opened = await open(shop, { colorScheme });
      const { page } = opened;
      const other = colorScheme === "light" ? "dark" : "light";
      const theme = (): Promise<unknown> => page.evaluate("document.documentElement.dataset.theme");
      await page.getByRole("button", { name: "Show the root state" }).click();
      await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
      expect(await theme()).toBe(colorScheme);
      expect(await axeFor(page)).toEqual([]);
      await page.getByRole("button", { name: /theme$/ }).click();
      expect(await theme()).toBe(other);
      await page.reload();
      expect(await theme()).toBe(other);
      expectQuiet(opened, shop);
      await opened.context.close();
    },
  );

  it("can be reached by Tab, all of it", async () => {
    const opened = await open(shop);
    const { page } = opened;
    const wanted = (await page.evaluate(`(() => {
      const all = [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')].filter((one) => one.checkVisibility({ contentVisibilityAuto: true }));
      all.forEach((one, index) => one.dataset.tab = String(index));
      return all.length;
    })()`)) as number;
    const seen = new Set<unknown>();
    for (let press = 0; press < wanted + 5; press++) {
      await page.keyboard.press("Tab");
      seen.add(await page.evaluate("document.activeElement?.dataset.tab"));
    }
    const missed = await page.evaluate(
      `[...document.querySelectorAll('[data-tab]')].filter((one) => !${JSON.stringify([...seen])}.includes(one.dataset.tab)).map((one) => one.outerHTML)`,
    );
    expect(missed).toEqual([]);
    expect(wanted).toBeGreaterThan(20);
    await opened.context.close();
  });

  // html-findings and html-races are as wide as a phone, too.
  it.runIf(full)("is as wide as a phone", async () => {
    const opened = await open(shop, { viewport: { width: 390, height: 844 } });
    expect(await opened.page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await opened.context.close();
  });

  it("prints: findings with all their steps, and the graph", async () => {
    const opened = await open(shop);
    const { page } = opened;
    const pdf = join(folder, "report.pdf");
    await page.pdf({ path: pdf });
    expect(statSync(pdf).size).toBeGreaterThan(20_000);
    const pdftotext = program("pdftotext");
    const read = (): string => execFileSync(pdftotext!, [pdf, "-"], { encoding: "utf8" });
    await page.emulateMedia({ media: "print" });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    const texts = [(await page.evaluate("document.body.innerText")) as string, ...(pdftotext === undefined ? [] : [read()])];
    for (const text of texts) {
      for (const wanted of [
        "refund_within_amount",
        "cancelled_never_shipped",
        "Shortest path: seqqa tried every shorter sequence",
        '"refunded": 200',
        "State graph",
        "Coverage",
      ])
        expect(text).toContain(wanted);
      expect(text).not.toContain("Next step");
    }
    expect(await page.locator("ol.path .body:visible").count()).toBe(8);
    await opened.context.close();
  });

  it("says without a script what was found, and how to make it happen", async () => {
    const opened = await open(shop, { javaScriptEnabled: false });
    const text = await opened.page.locator("body").innerText();
    for (const wanted of [
      "Failed",
      "Strategy\\s+bfs",
      "exhaustive except states behind \\d+ violating states.*\\(64 states",
      "refund_within_amount",
      "refunded more than was paid",
      '"refunded": 200',
      "never applied|Every action was applied",
    ]) {
      expect(text).toMatch(new RegExp(wanted));
    }
    expectQuiet(opened, shop);
    await opened.context.close();
  });
});

/** What a browser would run, what ends an element or a file early, what a terminal acts on. */
const EVIL = `<script>alert(1);console.log("ran")</script></script></pre></textarea><img src=x onerror="alert(2)"><svg onload=alert(3)>]]>--><!--<script>"'&lt; nul\0 \x1b[31mred\x1b[0m lone\ud800 half\udc00 rtl\u202e line\u2028 javascript:alert(4) \${alert(5)}`;
const BINARY = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte)).repeat(20);

describe("what a target answers", () => {
  it("stays text: nothing of it runs, in findings, journeys, the graph and its search; a body of 5 MB is cut and said to be", async () => {
    const answered = (body: string): RecordedExchange => ({
      request: { method: "POST", url: `http://127.0.0.1/${EVIL}`, headers: { [EVIL]: EVIL }, body: EVIL },
      response: { status: 200, headers: { "x-evil": EVIL }, body },
      durationMs: 1,
    });
    const bodies = [EVIL, BINARY, "x".repeat(5_000_000), JSON.stringify({ [EVIL]: EVIL })];
    const graph = madeGraph({
      nodes: 6,
      edges: 9,
      actions: 3,
      state: (node) => [`row ${node} ${EVIL}`],
      exchange: (edge) => answered(bodies[edge % 4]!),
    });
    const made = runDocument(
      report({
        exitStatus: 1,
        explorations: [
          {
            name: EVIL,
            file: EVIL,
            result: result({
              notes: [EVIL],
              errors: [{ code: EVIL, message: EVIL, path: [EVIL], source: EVIL, stack: EVIL, count: 1 }],
              divergences: [{ kind: "replay", path: [EVIL], message: EVIL, differences: [EVIL], hint: EVIL }],
              coverage: { pairs: 1, actions: { [EVIL]: { applied: 1, skipped: 0, statuses: { [EVIL]: 1 } } } },
              violations: [
                violation({
                  id: EVIL,
                  invariant: EVIL,
                  message: EVIL,
                  reproductionPath: [EVIL, EVIL],
                  steps: bodies.slice(0, 2).map((body, index) => ({
                    action: EVIL,
                    status: 200,
                    requests: [answered(body), answered(bodies[index + 2]!)],
                    changes: [`- ${EVIL}`, `+ ${EVIL}`],
                  })),
                }),
              ],
            }),
          },
        ],
        journeys: [
          {
            name: EVIL,
            file: EVIL,
            result: journey({
              steps: [
                step({
                  name: EVIL,
                  status: "failed",
                  error: EVIL,
                  requests: bodies.map(answered),
                  context: { set: { [EVIL]: EVIL }, deleted: [EVIL] },
                }),
              ],
            }),
            notes: [EVIL],
          },
        ],
        failures: [{ file: EVIL, code: EVIL, message: EVIL, hint: EVIL }],
      }),
      { redact: [], includeRequestResponse: true },
    );
    const place = { table: EVIL, column: EVIL, kind: EVIL, tried: 2, noticed: 1, by: [EVIL] };
    const strength = { tried: 2, noticed: 1, refused: 0, isCut: false, places: [place] };
    const document = { ...made, explorations: made.explorations.map((one) => ({ ...one, strength })) };
    const file = join(emptyFolder(), "report.html");
    writeFileSync(file, htmlText({ document, graphs: [{ ...graph, actions: [EVIL, "b", "c"] }] }));
    expect(statSync(file).size).toBeLessThan(10_000_000);
    const opened = await open(file);
    const { page } = opened;
    await page.locator(".finding button.head").first().click();
    await page.getByText("Strength of the rules: they noticed 50 % of 2 corruptions").click();
    expect(await page.getByRole("group", { name: "Tables" }).locator("tbody td").allInnerTexts()).toContain("1 of 2");
    expect(await page.locator("body").innerText()).toContain("more characters, left out to limit the size of this file");
    const own = await page.evaluate(
      "[...document.querySelectorAll('script, img, svg, iframe, textarea, style')].map((one) => one.tagName + one.id + (one.ariaHidden ?? '')).join()",
    );
    expect(own).toMatch(/^STYLE,(svgtrue,)*SCRIPTdata,SCRIPTapp$/);
    await page.locator(".results input").fill("row 2 <script>alert");
    await page.locator(".results input").press("Enter");
    expect(await page.locator(".details h4").textContent()).toBe("State 2");
    const details = page.locator(".details");
    expect(await details.locator(".diff").textContent()).toMatch(
      /^- row \d <script>alert[^]*\+ row 2 <script>alert.*nul\\x00 \\x1b\[31mred.*lone\\ud800 half\\udc00 rtl\\u202e line\\u2028/,
    );
    await details.getByRole("button", { name: "its request" }).click();
    expect(await details.locator("pre").first().textContent()).toContain("POST http://127.0.0.1/<script>alert(1)");
    for (const name of await page
      .locator("#part option")
      .evaluateAll((options) => options.map((option) => (option as unknown as { value: string }).value)))
      await page.locator("#part").selectOption(name);
    expectQuiet(opened, file);
    await opened.context.close();
  });
});

describe("a graph of more than 5,000 states", () => {
  it("is shown in part, around the findings, and said to be: their paths are whole, in more transitions than are drawn, too", async () => {
    const whole = madeGraph({ nodes: 6_000, edges: 50_000, actions: 12 });
    // Each finding goes along transitions that no state was first reached by: the last ones of the graph.
    const { from, to, action } = whole.edges;
    const lastOf = (node: number): number => from.reduce((last, start, edge) => (start === node && to[edge]! > node ? edge : last), -1);
    const paths = [0, 1].map((skip) => {
      const edges: number[] = [];
      for (let node = 0; edges.length < 40 + skip; node = to[edges.at(-1)!]!) {
        const next = lastOf(node);
        if (next < 0) break;
        edges.push(next);
      }
      return edges.slice(0, edges.length - skip);
    });
    expect(Math.min(...paths.map(({ length }) => length))).toBeGreaterThan(5);
    const violations = paths.map((edges, index) =>
      violation({
        id: `finding${index}`,
        invariant: `rule_${index}`,
        reproductionPath: edges.map((edge) => `action_${action[edge]}`),
        state: to[edges.at(-1)!]!,
        steps: [],
      }),
    );
    const document = runDocument(
      report({ exitStatus: 1, explorations: [{ name: "large", file: "large.explore.ts", result: result({ violations }) }] }),
      { redact: [], includeRequestResponse: true },
    );
    const file = join(emptyFolder(), "report.html");
    const text = htmlText({ document, graphs: [whole] });
    writeFileSync(file, text);
    const [, data] = /<script type="application\/json" id="data">([^<]*)</.exec(text)!;
    const [shown] = (JSON.parse(data!) as Embedded).graphs;
    expect([shown!.nodes.id.length, shown!.edges.from.length]).toEqual([5_000, expect.any(Number)]);
    expect(shown!.edges.from.length).toBeLessThanOrEqual(20_000);
    expect(shown!.findings.map(({ edges }) => edges.length)).toEqual(paths.map(({ length }) => length));
    const ends = shown!.findings.map(({ nodes }) => nodes.map((node) => shown!.nodes.id[node]));
    expect(ends).toEqual(paths.map((edges) => [0, ...edges.map((edge) => to[edge])]));

    const opened = await open(file);
    const { page } = opened;
    // The layout of so many states takes long. In the quick suite the graphs of the other tests are laid out.
    await page.locator(full ? "canvas.graph[data-layout=done]" : "canvas.graph").waitFor({ timeout: 60_000 });
    expect(await page.locator("body").innerText()).toMatch(
      /This graph is incomplete: it shows 5,000 of 6,000 states and [\d,]+ of 50,000 transitions, those nearest to the findings first\. The rest is in the run log\./,
    );
    expectQuiet(opened, file);
    await opened.context.close();
  });
});
