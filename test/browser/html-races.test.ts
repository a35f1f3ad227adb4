import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { htmlText, runDocument } from "../../src/reports/index.ts";
import { full, some } from "../sizes.ts";
import { startBrowser } from "../support/browser.ts";
import { emptyFolder } from "../support/e2e.ts";
import { madeGraph } from "../support/graph-data.ts";
import { dismissedRace, gatedRace, race, raceCoverage } from "../support/race.ts";
import { report, result } from "../support/results.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const [delivered, gated] = [race(), gatedRace({ second: "cancel_order", prefix: [], steps: [] })];

let browser: Browser;
let file: string;

beforeAll(async () => {
  browser = await startBrowser();
  file = join(emptyFolder(), "report.html");
  const explored = result({
    races: [delivered, gated],
    raceCoverage: raceCoverage({ dismissedRaces: [dismissedRace({ message: "<img src=x onerror=alert(1)> was seen" })] }),
  });
  const document = runDocument(report({ explorations: [{ name: "shop", file: "qa/shop.explore.ts", result: explored }], exitStatus: 1 }), {
    redact: ["authorization", "password"],
    includeRequestResponse: true,
  });
  writeFileSync(file, htmlText({ document, graphs: [madeGraph({ nodes: 30, edges: 60, actions: 6 })] }));
}, 300_000);

afterAll(async () => {
  await browser?.close();
});

/** In the quick suite the tests that need no other options share a page, because a new one costs more than all that they do. */
let shared: ReturnType<typeof openAnew> | undefined;

/** The page, at a race; and what it complained of. */
async function open(options: BrowserContextOptions = {}, id = delivered.id): ReturnType<typeof openAnew> {
  if (full || Object.keys(options).length > 0) return openAnew(options, id);
  const opened = await (shared ??= openAnew({}, id));
  await opened.page.goto(`file://${file}#finding-${id}`);
  return opened;
}

async function openAnew(
  options: BrowserContextOptions,
  id: string,
): Promise<{ readonly page: Page; readonly complaints: string[]; close(): Promise<void> }> {
  const context = await browser.newContext({ offline: true, reducedMotion: "reduce", viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`file://${file}#finding-${id}`);
  const close = async (): Promise<void> => {
    if (full || Object.keys(options).length > 0) await context.close();
  };
  return { page, complaints, close };
}

describe("a dismissed race in the HTML report", () => {
  it("is in a list that is closed at first, with what was seen and why it is no finding", async () => {
    const { page, complaints, close } = await open();
    const list = page.locator("details.dismissed");
    expect(await list.getAttribute("open")).toBeNull();
    expect(await list.locator("summary").textContent()).toBe("1 dismissed race");
    await list.locator("summary").click();
    expect(await list.locator("li").allInnerTexts()).toEqual([
      "refund_order || refund_order after create_order, pay_order: state. <img src=x onerror=alert(1)> was seen (at the same time: 200, 200) Dismissed (2 probes): control: calls sent 50 ms apart showed the same result, too",
    ]);
    expect(complaints).toEqual([]);
    await close();
  });
});

describe("a race in the HTML report", () => {
  it("has the observed outcome beside what the orders give, with what differs marked", async () => {
    const { page, complaints, close } = await open();
    const finding = page.locator(`#finding-${delivered.id}`);
    const rows = finding.locator(".deciding tbody tr");
    expect(await rows.allInnerTexts()).toEqual([
      "second: refund_order is answered\t200\t409",
      "+ refunds (amount = 100, id = 2, order_id = 1)\n\tyes\tno",
    ]);
    expect(await finding.locator(".sequence figcaption").allInnerTexts()).toEqual(["At the same time", "refund_order, then refund_order"]);
    await finding.getByText("Observed outcome, and the outcomes").click();
    const columns = finding.locator(".outcome");
    expect(await finding.locator(".outcome > h5:first-child").allTextContents()).toEqual([
      "Observed: at the same time",
      "Allowed: refund_order, then refund_order",
    ]);
    const [observed, allowed] = [columns.nth(0), columns.nth(1)];
    expect(await observed.locator("mark").allTextContents()).toEqual([
      "second: refund_order 200",
      "+ refunds (amount = 100, id = 2, order_id = 1)",
    ]);
    expect(await allowed.locator("mark").allTextContents()).toEqual(["second: refund_order 409"]);
    const boxes = [await observed.boundingBox(), await allowed.boundingBox()];
    expect(boxes[0]!.y).toBe(boxes[1]!.y);
    expect(boxes[0]!.x).toBeLessThan(boxes[1]!.x);
    expect(await finding.textContent()).toContain(
      "Seen in 14 of 20 trials (95 % between 48 % and 86 %), 1 more did not overlap, pipelined.",
    );
    expect(complaints).toEqual([]);
    await close();
  });

  it("has its prefix in the player, and both calls side by side below", async () => {
    const { page, close } = await open();
    const finding = page.locator(`#finding-${delivered.id}`);
    expect(await finding.locator(".where").textContent()).toBe("Step 1 of 2: create_order");
    await finding.getByRole("button", { name: "Next step" }).click();
    expect(await finding.locator(".where").textContent()).toBe("Step 2 of 2: pay_order");
    const calls = finding.locator(".calls .columns > div");
    expect(await finding.locator(".calls .columns > div > h5").allTextContents()).toEqual([
      "first: refund_order 200",
      "second: refund_order 200",
    ]);
    expect((await calls.nth(0).boundingBox())!.y).toBe((await calls.nth(1).boundingBox())!.y);
    expect(await calls.nth(1).textContent()).toContain("POST http://127.0.0.1:3000/orders/1/refund");
    await close();
  });

  it("has the schedule that was followed, and says that it needs no steps", async () => {
    const { page, close } = await open({}, gated.id);
    const text = await page.locator(`#finding-${gated.id}`).innerText();
    expect(text).toContain(
      "refund_order is held before its write 1 (UPDATE orders, in db) until cancel_order is done or waits for the held call",
    );
    expect(text).toContain("No steps: the calls are sent in the root state.");
    expect(text).not.toContain("95 %");
    await close();
  });

  // html-report copies the script of a finding; process/reports/curl/race-script runs that of a race.
  it.runIf(full)("has its script, which is copied whole", async () => {
    const { page, close } = await open({ permissions: ["clipboard-read", "clipboard-write"] });
    const finding = page.locator(`#finding-${delivered.id}`);
    await finding.getByText("As a curl script").click();
    await finding.locator(".curl").getByRole("button", { name: "Copy" }).click();
    await finding.locator(".curl").getByText("Copied").waitFor();
    const copied = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(copied.trim()).toBe((await finding.locator(".curl pre").textContent())!.trim());
    expect(copied).toMatch(/^#!\/bin\/sh[^]*--parallel-immediate[^]*The race was not seen in/);
    await close();
  });

  it("is among what the exploration counts, and what was probed and what not is said with reasons", async () => {
    const { page, close } = await open();
    expect(await page.locator("nav li").allTextContents()).toEqual([
      "HIGH race: refund_order || refund_order",
      "HIGH race: refund_order || cancel_order",
    ]);
    expect(await page.locator(".findings h3").textContent()).toBe("Findings 2");
    const text = await page.locator(".race-coverage").innerText();
    for (const wanted of [
      "Kinds of pairs probed",
      "14",
      "122",
      "pipelined",
      "read only: neither of the two actions changes anything",
      "control: calls sent 50 ms apart showed the same result, too",
    ])
      expect(text).toContain(wanted);
    await close();
  });

  it.each(some(["light", "dark"] as const, 1))("has nothing that axe finds, in the %s theme", async (colorScheme) => {
    const { page, close } = await open({ colorScheme });
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
    await page.evaluate(axe);
    const { violations } = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as {
      readonly violations: readonly {
        readonly id: string;
        readonly nodes: readonly { readonly html: string }[];
      }[];
    };
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
    await close();
  });

  it("is as wide as a phone, its columns below one another", async () => {
    const { page, close } = await open({ viewport: { width: 390, height: 844 } });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await page.locator(`#finding-${delivered.id}`).getByText("Observed outcome, and the outcomes").click();
    const columns = page.locator(`#finding-${delivered.id} .outcome`);
    expect((await columns.nth(1).boundingBox())!.y).toBeGreaterThan((await columns.nth(0).boundingBox())!.y);
    await close();
  });

  it("is whole on paper, and without a script", async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { page, close } = await open({ javaScriptEnabled });
      await page.emulateMedia({ media: "print" });
      if (javaScriptEnabled) await page.evaluate("dispatchEvent(new Event('beforeprint'))");
      const text = await page.locator("body").innerText();
      for (const wanted of ["Observed: at the same time", "pay_order", "refunded already", "Schedule:", "Kinds of pairs probed"])
        expect(text).toContain(wanted);
      expect(text).not.toContain("Next step");
      await close();
    }
  });
});
