import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { htmlText, runDocument } from "../src/reports/index.ts";
import { startBrowser } from "../test/support/browser.ts";
import { madeGraph } from "../test/support/graph-data.ts";
import { report as madeReport, result, violation } from "../test/support/results.ts";
import type { Row } from "./support/row.ts";

const NODES = 5_000;
const EDGES = 20_000;
const LOADS = 3;

/**
 * Measures the HTML report of the largest graph that it shows completely: its size, the time until it can be used, and the length of frames while the
 * graph is moved.
 */
export default async function report(): Promise<readonly Row[]> {
  const begun = performance.now();
  const text = made();
  const written = performance.now() - begun;
  const folder = mkdtempSync(join(tmpdir(), "seqqa-bench-"));
  const file = join(folder, "report.html");
  writeFileSync(file, text);
  const browser = await startBrowser();
  try {
    const loads: Loaded[] = [];
    for (let load = 0; load < LOADS; load++) {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      loads.push(await measured(page, file));
      await page.close();
    }
    const empty = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await empty.setContent("<!doctype html><canvas class='graph' style='width: 780px; height: 576px'></canvas>");
    const floor = await longestFrame(empty, () => pan(empty));
    const worst = (of: (load: Loaded) => number): number => Math.max(...loads.map(of));
    return [
      {
        name: "file",
        value: statSync(file).size / 1e6,
        unit: "MB",
        note: `${NODES} states, ${EDGES} transitions, all with their details; at most 10`,
      },
      { name: "made in", value: written, unit: "ms" },
      { name: "drawn, and answers a key", value: worst(({ usable }) => usable), unit: "ms", note: `worst of ${LOADS} loads; asked: 3,000` },
      { name: "longest task of loading", value: worst(({ longestTask }) => longestTask), unit: "ms" },
      { name: "longest frame, panning while forces work", value: worst(({ early }) => early), unit: "ms", note: "asked: 100" },
      { name: "forces rest after", value: worst(({ rest }) => rest), unit: "ms", note: "in a worker" },
      { name: "longest frame, panning", value: worst(({ late }) => late), unit: "ms", note: "asked: 100" },
      {
        name: "longest frame, the same on an empty page",
        value: floor,
        unit: "ms",
        note: "what the machine and its other work make of it",
      },
      { name: "longest frame, zooming", value: worst(({ zooming }) => zooming), unit: "ms" },
      { name: "search", value: worst(({ search }) => search), unit: "ms", note: "to the results, with 150 ms of waiting for the next key" },
    ];
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Loaded {
  readonly usable: number;
  readonly longestTask: number;
  readonly early: number;
  readonly rest: number;
  readonly late: number;
  readonly zooming: number;
  readonly search: number;
}

async function measured(page: Page, file: string): Promise<Loaded> {
  await page.addInitScript(`
    globalThis.tasks = [];
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask", buffered: true });
  `);
  await page.goto(`file://${file}`, { waitUntil: "commit" });
  await page.locator("canvas.graph[data-drawn]").waitFor();
  await page.locator("canvas.graph").press("ArrowLeft");
  const usable = (await page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))",
  )) as number;
  const longestTask = (await page.evaluate("Math.max(0, ...tasks)")) as number;
  // A graph of this size is shown in groups at first, because some fields have few different values.
  const grouped = page.getByText(/^Grouped by/);
  if (await grouped.isVisible()) {
    await grouped.click();
    await page.getByRole("button", { name: "Each state by itself" }).click();
    await grouped.or(page.getByText("Group states by fields")).click();
  }
  await page.locator("canvas.graph").scrollIntoViewIfNeeded();
  const early = await longestFrame(page, () => pan(page));
  await page.locator("canvas.graph[data-layout=done]").waitFor({ timeout: 60_000 });
  const rest = (await page.evaluate("performance.now()")) as number;
  const late = await longestFrame(page, () => pan(page));
  const zooming = await longestFrame(page, async () => {
    for (let turn = 0; turn < 40; turn++) {
      await page.mouse.wheel(0, turn < 20 ? -120 : 120);
      await page.waitForTimeout(16);
    }
  });
  const start = (await page.evaluate("performance.now()")) as number;
  await page.locator(".results input").fill("row 77");
  await page.locator(".found li").first().waitFor();
  const search = ((await page.evaluate("performance.now()")) as number) - start;
  return { usable, longestTask, early, rest, late, zooming, search };
}

/** Drags the graph in a circle for about two seconds. */
async function pan(page: Page): Promise<void> {
  const { x, y, width, height } = (await page.locator("canvas.graph").boundingBox())!;
  const [cx, cy] = [x + width / 2, y + height / 2];
  await page.mouse.move(cx, cy);
  await page.mouse.down();
  for (let move = 0; move <= 100; move++) {
    const angle = (move / 100) * 2 * Math.PI;
    await page.mouse.move(cx + Math.sin(angle) * 200, cy + (Math.cos(angle) - 1) * 100);
    await page.waitForTimeout(16);
  }
  await page.mouse.up();
}

/** Returns the longest time between two frames during the work, in milliseconds. */
async function longestFrame(page: Page, work: () => Promise<void>): Promise<number> {
  await page.evaluate(`
    globalThis.frames_ = [];
    globalThis.counting = true;
    (() => {
      let last = performance.now();
      const frame = (now) => {
        frames_.push(now - last);
        last = now;
        if (counting) requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    })();
  `);
  await work();
  return (await page.evaluate("counting = false, Math.max(...frames_)")) as number;
}

function made(): string {
  const graph = madeGraph({
    nodes: NODES,
    edges: EDGES,
    actions: 12,
    state: (node) => [
      ...[1, 2, 3].map((row) => `db.orders ${row} {id: #${row}, amount: ${(node * row) % 97}, status: "paid", created_at: <time>}`),
      `row ${node}`,
      `context.order_id = #${node % 5}`,
    ],
    exchange: (edge) => ({
      request: {
        method: "POST",
        url: `http://127.0.0.1:3000/orders/${edge % 500}/pay`,
        headers: { "content-type": "application/json" },
        body: `{"amount":${edge % 100}}`,
      },
      response: {
        status: 200,
        headers: { "content-type": "application/json", "content-length": "148", connection: "keep-alive" },
        body: `{"id":${edge},"amount":100,"refunded":0,"status":"paid","created_at":"2026-11-21T11:33:33.756Z","shipped_at":null}`,
      },
      durationMs: 1,
    }),
  });
  const violations = Array.from({ length: 30 }, (_, index) => violation({ id: `finding${index}`, state: 4_000 + index * 30 }));
  const explorations = [{ name: "made", file: "made.explore.ts", result: result({ violations }) }];
  return htmlText({ document: runDocument(madeReport({ explorations }), { redact: [], includeRequestResponse: true }), graphs: [graph] });
}
