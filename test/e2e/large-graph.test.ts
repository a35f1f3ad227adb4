import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full, size } from "../sizes.ts";
import { emptyFolder, folderWith, seqqa, writtenIn, type Document } from "../support/e2e.ts";
import { treeOf } from "../support/tree-graph.ts";
import { result } from "../support/results.ts";
import { configIn, store } from "../support/stored-runs.ts";

/** MB that JavaScript's own lists and objects may take; typed arrays lie elsewhere. */
const HEAP = 32;
const small = { NODE_OPTIONS: `--max-old-space-size=${HEAP}` };
const EDGES = 1_200_000;

/** A store room: each of its shelves holds fewer boxes than it has places. A million states and six million transitions. */
const SHELVES = size(4, 6);
const PLACES = size(6, 10);
const STATES = PLACES ** SHELVES;
const grouped = (count: number): string => count.toLocaleString("en");

describe("a graph of more than a million transitions", () => {
  // In the quick suite unit/run-log/large-graph reads such a graph, and the next test reports a smaller one.
  it.runIf(full)("is reported from its store without lists of all of it in memory", { timeout: 120_000 }, async () => {
    const home = folderWith({ "seqqa.yaml": "{}\n" });
    const graph = treeOf(
      EDGES,
      Array.from({ length: 30 }, (_, action) => `action_${action}`),
    );
    const explored = result({ graph, statesVisited: graph.nodes, transitions: graph.edges });
    store(configIn(home), { explorations: [{ name: "tree", file: "tree.explore.ts", result: explored }] });
    const [json, html] = await Promise.all(
      ["json", "html"].map((format) => seqqa(["report", "--format", format, "--output", "-"], { cwd: home, env: small })),
    );
    expect([json!.status, json!.stderr, html!.status, html!.stderr]).toEqual([0, "", 0, ""]);
    const [entry] = (JSON.parse(json!.stdout) as Document).explorations;
    expect(entry).toMatchObject({ graph: { nodes: EDGES / 10 + 1, edges: EDGES, leftOut: expect.any(String) as string, edgeTo: [] } });
    expect(html!.stdout).toContain("120,001 states, 1,200,000 transitions");
  });

  it("is explored, kept and reported by the command so, too", { timeout: 1_800_000 }, async () => {
    const output = emptyFolder();
    const config = join(folderWith({ "seqqa.yaml": "report: { formats: [html, json, junit] }\n" }), "seqqa.yaml");
    const args = ["run", "fixtures/shelves", "--config", config, "--output", output, "--reporter", "json"];
    const env = { SHELVES: String(SHELVES), PLACES: String(PLACES), NODE_OPTIONS: "--max-old-space-size=128" };
    const { status, stdout, stderr } = await seqqa(args, { env });
    expect([status, stderr.includes("FATAL")]).toEqual([0, false]);
    expect(stdout).toBe(readFileSync(join(output, "results.json"), "utf8"));
    expect(writtenIn(output).explorations[0]).toMatchObject({
      statesVisited: STATES,
      transitions: SHELVES * STATES,
      stopReason: "exhausted",
    });
    expect(statSync(join(output, "results.json")).size).toBeLessThan(200_000);
    expect(readFileSync(join(output, "report.html"), "utf8")).toContain(
      `${grouped(STATES)} states, ${grouped(SHELVES * STATES)} transitions`,
    );
  });
});
