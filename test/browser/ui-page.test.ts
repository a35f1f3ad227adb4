import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { main } from "../../src/cli/index.ts";
import { uiPage } from "../../src/reports/html/ui-page.ts";
import { Feed, LaneDesk, UiServer, type OpenLane } from "../../src/ui/index.ts";
import type { UiEvent } from "../../src/ui/messages.ts";
import { full, size } from "../sizes.ts";
import { startBrowser } from "../support/browser.ts";
import { emptyFolder, root, until } from "../support/e2e.ts";
import { report, result, Sink, violation } from "../support/results.ts";

/** A run waits for `until` before it executes `cancel_order`, the last action of each state, for the ninth time, before it has its finding. */
const held = vi.hoisted((): { until: Promise<void> } => ({ until: Promise.resolve() }));

// The command from its sources, in this process: the exploration is imported by the test runner, and not bundled for Node.
vi.mock(import("../../src/run/prepare/load-exploration.ts"), () => ({
  loadExploration: async (entry: string) => {
    const { agent } = (await import(entry)) as { readonly agent: { readonly actions: readonly { readonly name: string; run: unknown }[] } };
    const last = agent.actions.find(({ name }) => name === "cancel_order")!;
    const run = last.run as (...given: readonly unknown[]) => Promise<unknown>;
    let executed = 0;
    last.run = async (...given: readonly unknown[]) => {
      if (++executed > 8) await held.until;
      return run(...given);
    };
    return { module: { literals: [] }, definition: agent } as never;
  },
}));

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A command that serves the page, in this process. */
interface Served {
  readonly url: string;
  /** Does what Ctrl-C does, and returns the exit status. */
  readonly interrupt: () => Promise<number>;
}

/** States of the demo, to the depth of 5 in the quick suite. */
const STATES = size(40, 73);

let browser: Browser;
let output: string;

async function serve(...args: readonly string[]): Promise<Served> {
  const [stdout, stderr] = [new Sink(), new Sink()];
  const listeners = new Set<() => void>();
  const onInterrupt = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const ended = main([...args, "--output", output], { stdout, stderr, env: {}, cwd: root, onInterrupt, exit: () => undefined });
  const address = /http:\S+token=\w+/;
  await until(() => address.test(stderr.text), "the page is served");
  const interrupt = (): Promise<number> => {
    for (const listener of listeners) listener();
    return ended;
  };
  return { url: address.exec(stderr.text)![0], interrupt };
}

async function open(
  url: string,
  prepare: (page: Page) => Promise<void> = () => Promise.resolve(),
): Promise<{ readonly page: Page; readonly complaints: string[] }> {
  const page = await browser.newPage({
    reducedMotion: "reduce",
    viewport: { width: 1440, height: 900 },
    permissions: ["clipboard-read", "clipboard-write"],
  });
  page.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await prepare(page);
  await page.goto(url);
  return { page, complaints };
}

/** Answers a page's first connection with a part of what the server knows, and ends it. The next ones wait for `reconnected`. */
async function loseFirstConnection(page: Page, url: string, reconnected: Promise<void>): Promise<void> {
  const answer = await fetch(url.replace("/?", "/api/events?"));
  let text = "";
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString("utf8");
    if (text.includes("\n\n")) break;
  }
  const { explorations } = JSON.parse(text.slice("data: ".length, text.indexOf("\n\n"))) as Extract<UiEvent, { readonly kind: "all" }>;
  const earlier = explorations.map((one) => ({
    ...one,
    nodes: one.nodes.slice(0, 5),
    edges: [],
    states: 5,
    verdict: undefined,
    findings: [],
  }));
  const body = `data: ${JSON.stringify({ kind: "all", explorations: earlier })}\n\n`;
  await page.route("**/api/events*", async (route) => {
    await reconnected;
    await route.continue();
  });
  // Of two routes for a request, Playwright takes the later one.
  await page.route("**/api/events*", (route) => route.fulfill({ contentType: "text/event-stream", body }), { times: 1 });
}

/** Returns the complaints of axe. */
async function axeFor(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as {
    readonly violations: readonly { id: string; nodes: readonly { html: string }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

/** Returns the number of states that the page shows; 0 before it shows the graph. */
async function statesOf(page: Page): Promise<number> {
  const [heading = ""] = await page.locator("h3", { hasText: "State graph" }).allTextContents();
  return Number(/(\d+) states?/.exec(heading)?.[1] ?? 0);
}

beforeAll(async () => {
  browser = await startBrowser();
  output = emptyFolder();
});

afterAll(async () => {
  await browser?.close();
});

// The second test serves the run of the first one.
describe("the page of seqqa run --ui", () => {
  it("shows the graph while it grows and findings as they arrive, and then opens a lane, executes an action and saves the path", async () => {
    let goOn!: () => void;
    held.until = new Promise((resolve) => (goOn = resolve));
    const served = await serve("run", "fixtures/demo", "--races", "off", "--ui", ...(full ? [] : ["--max-depth", "5"]));
    const { page, complaints } = await open(served.url);
    await until(async () => (await statesOf(page)) > 1, "the first states are shown", 60_000);
    const first = await statesOf(page);
    // The selection survives the growth, and its lane can wait.
    await page.getByRole("button", { name: "Show the root state" }).click();
    const details = page.locator(".details");
    const lane = details.getByRole("button", { name: "Open a lane here" });
    expect(await lane.getAttribute("aria-disabled")).toBe("true");
    expect(await details.locator(".gated").textContent()).toContain("once the run has ended");
    goOn();
    await page.locator(".arrived", { hasText: "refund_within_amount" }).waitFor();
    await page.locator("h1.failed", { hasText: "The run has ended: failed" }).waitFor();
    await until(async () => (await statesOf(page)) === STATES, "all states are shown");
    expect(first).toBeLessThan(STATES);
    expect(await details.locator("h4").first().textContent()).toBe("State 0");

    const finding = page.locator(".finding", { hasText: "refund_within_amount" });
    expect(await finding.locator(".where").textContent()).toBe("Step 4 of 4: refund_order, fails here");
    expect(await finding.locator(".facts").textContent()).toMatch(/state [0-9a-f]{8}/);
    await finding.getByRole("button", { name: "Open a lane here" }).click();
    const panel = page.locator("section.lane");
    await panel.locator(".place").waitFor();
    expect(await panel.locator("ol.steps li.failing").textContent()).toMatch(/4\. refund_order 200[^]*refund_within_amount: refunded more/);

    // A state by its name, and from there by the keyboard alone.
    const search = page.locator(".results input");
    await search.fill("48b80dac");
    await search.press("Enter");
    expect(await details.locator("h4").first().textContent()).toBe("State 1");
    await details.getByRole("button", { name: "Copy open command" }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("npx seqqa open 48b80dac");
    await details.locator(".last-requests").getByText("POST http").first().waitFor();
    await lane.press("Enter");
    await panel.locator(".place", { hasText: "48b80dac" }).waitFor();
    expect(await panel.locator(".uses").textContent()).toMatch(/http:\/\/127\.0\.0\.1:\d+/);
    await panel.getByRole("button", { name: "pay_order", exact: true }).press("Enter");
    await panel.getByRole("status").filter({ hasText: "pay_order: 200, the state changed, all rules hold." }).waitFor();
    expect(await panel.locator("ol.steps li").first().textContent()).toMatch(/2\. pay_order 200[^]*\+ systems\.db\.orders[^]*"paid"/);
    // The focus stays on the action.
    await page.keyboard.press("Enter");
    await panel.locator("ol.steps li", { hasText: "3. pay_order" }).waitFor();
    await panel.getByRole("button", { name: "Save this path as a test" }).press("Enter");
    expect(await panel.locator(".saved pre").textContent()).toContain('agent.replay(["create_order","pay_order","pay_order"]');
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      panel.getByRole("button", { name: "Download pay_order.test.ts" }).press("Enter"),
    ]);
    expect(download.suggestedFilename()).toBe("pay_order.test.ts");
    await panel.getByRole("button", { name: "Save this path as a journey" }).press("Enter");
    await panel.locator(".saved pre", { hasText: 'step("pay_order", [409])' }).waitFor();

    expect(await axeFor(page)).toEqual([]);
    expect(complaints).toEqual([]);
    expect(await served.interrupt()).toBe(1);
    await page.getByRole("alert").filter({ hasText: "The page has lost its connection" }).waitFor();
    await page.close();
  });
});

describe("the page of seqqa ui", () => {
  it("shows the last run in a narrow dark window, and comes back after a lost connection", async () => {
    const served = await serve("ui", "--config", "fixtures/demo/seqqa.yaml");
    let reconnect!: () => void;
    const reconnected = new Promise<void>((resolve) => (reconnect = resolve));
    const { page, complaints } = await open(served.url, (one) => loseFirstConnection(one, served.url, reconnected));
    await page.getByRole("alert").filter({ hasText: "The page has lost its connection" }).waitFor();
    expect(await statesOf(page)).toBe(5);
    reconnect();
    await page.getByRole("alert").waitFor({ state: "hidden" });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.locator(".finding", { hasText: "refund_within_amount" }).waitFor();
    await until(async () => (await statesOf(page)) === STATES, "all states are shown");
    // An action that does not apply can be tried.
    await page.getByRole("button", { name: "Show the root state" }).click();
    await page.locator(".details").getByRole("button", { name: "Open a lane here" }).click();
    const panel = page.locator("section.lane");
    await panel.getByRole("button", { name: "pay_order, does not apply here" }).click();
    await panel.getByRole("status").filter({ hasText: "pay_order was not executed. The action does not apply in this state." }).waitFor();
    expect(await axeFor(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    expect(complaints).toEqual([]);
    expect(await served.interrupt()).toBe(0);
    await page.close();
  });
});

describe("the page of a run with a failure", () => {
  const visibility = { redact: [], includeRequestResponse: true };
  const judged = { held: [], broken: [], errors: [] };
  const place = { id: "0123456789abcdef", lines: [], changes: [], applicable: ["create"] };

  /** Opens lanes; the first one is never ready. */
  function opener(goals: unknown[]): OpenLane {
    return async (_exploration, { signal, path }, work) => {
      goals.push(path);
      if (goals.length === 1) return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("closed"))));
      await work({
        actions: ["create"],
        uses: [],
        goTo: (_path, draws) => Promise.resolve(goals.push(draws)).then(() => place),
        place: () => Promise.resolve(place),
        step: (action) => Promise.resolve({ action, kind: "executed", message: "", status: 201, requests: [], changes: [], ...judged }),
        judgeRoot: () => Promise.resolve(judged),
      });
    };
  }

  it("keeps the focus, opens the states of findings, and shows why there is no result", async () => {
    const feed = new Feed(visibility);
    const goals: unknown[] = [];
    const textOf = (): { text: string; file: string } => ({ text: "test", file: "a.test.ts" });
    const desk = new LaneDesk(opener(goals), visibility);
    const server = await UiServer.start({ feed, desk, port: 0, page: uiPage(), shown: (text) => text, textOf });
    const begin = (name: string): void =>
      feed.event(name, { kind: "started", name, lanes: 1, notes: [], actions: ["create"], file: `${name}.explore.ts` });
    const find = (id: string): void =>
      feed.event("shop", { kind: "violation", id, invariant: `rule ${id}`, severity: "high", path: ["create", "create"], steps: 2 });
    begin("shop");
    find("a1");
    const { page, complaints } = await open(server.url);
    const focused = (): Promise<unknown> => page.evaluate("document.activeElement.textContent");
    const arrived = page.locator(".arrived li");
    await arrived.getByRole("button").focus();
    find("a2");
    await until(async () => (await arrived.count()) === 2, "the second finding is shown");
    expect(await focused()).toBe("Show in the graph");

    const path = ["create", "create"];
    const violations = [
      violation({ id: "a1", invariant: "rule a1", reproductionPath: path, fault: { kind: "refused_write", cut: "response" } as never }),
      violation({ id: "a2", invariant: "rule a2", reproductionPath: path, draws: [[0], [0, 0]] }),
    ];
    const divergences = [{ kind: "replay" as const, path, message: "Another state was reached.", differences: [] }];
    feed.explored({
      name: "shop",
      file: "shop.explore.ts",
      result: result({ violations, divergences, unverified: ["Not all was checked."] }),
    });
    begin("cart");
    feed.ended(
      report({
        exitStatus: 1,
        failures: [{ file: "cart.explore.ts", code: "STORE_LOST", message: "The store was lost.", hint: "Start it." }],
      }),
    );
    await page.locator("h1.failed").waitFor();
    expect(await page.locator("main article.problem h2").textContent()).toBe("Error cart.explore.ts STORE_LOST");
    expect(await page.getByRole("region", { name: "cart", includeHidden: true }).locator("strong").textContent()).toBe(
      "No result: The store was lost.",
    );
    await page.getByLabel("Shown: ").selectOption("shop");
    await page.getByText("Another state was reached.").waitFor();
    await page.getByText("Not all was checked.").waitFor();

    const [fault, other] = [page.locator(".finding", { hasText: "rule a1" }), page.locator(".finding", { hasText: "rule a2" })];
    await fault.getByRole("button", { name: "Open a lane before the last step" }).press("Enter");
    const panel = page.locator("section.lane");
    await panel.getByRole("status").filter({ hasText: "Opening a lane, and executing 1 action." }).waitFor();
    // The last one counts.
    await other.locator("summary").first().click();
    await other.getByRole("button", { name: "Open a lane here" }).press("Enter");
    await panel.locator(".place").waitFor();
    expect(goals).toEqual([["create"], path, [["create"], path]]);
    await panel.getByRole("button", { name: "Save this path as a test" }).press("Enter");
    await panel.getByRole("button", { name: "Hide" }).press("Enter");
    expect(await focused()).toBe("Save this path as a test");
    expect(await axeFor(page)).toEqual([]);
    await panel.getByRole("button", { name: "Close the lane" }).press("Enter");
    expect(await focused()).toBe("Open a lane here");
    expect(complaints.filter((one) => !one.includes("400"))).toEqual([]);
    await page.close();
    await server.close();
  });
});
