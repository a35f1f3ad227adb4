import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { redactor, runDocument } from "../../../../src/reports/index.ts";
import { newRunId, readStoredRun, RunLog } from "../../../../src/run-log/index.ts";
import { agentOf, randomGraph } from "../../../support/graph-model.ts";
import { Draws } from "../../../support/draws.ts";
import { runExplorer } from "../../../support/run-explorer.ts";
import { report, result } from "../../../support/results.ts";
import { configIn } from "../../../support/stored-runs.ts";

const folder = mkdtempSync(join(tmpdir(), "seqqa-keeper-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("holds no run header and no steps after the search starts again, so that a run killed then begins anew", async () => {
  const config = configIn(folder);
  const agent = agentOf(randomGraph(new Draws(1), { states: 20, actions: 3, loops: 0, skips: 0, errors: 0, findings: 0 }));
  const { explorer } = await runExplorer(agent, { journal: true });
  const document = runDocument({ ...report({ run: newRunId(new Date()) }), explorations: [], journeys: [], failures: [] }, config.report);
  const log = new RunLog(config, document, redactor(config.report.redact));
  const keep = log.exploration("a.explore.ts");
  const root = { wholeLo: 0, wholeHi: 0, rootLo: 0, rootHi: 0, lines: [], broken: [] };
  keep.begin({
    name: "a",
    strategy: "bfs",
    actions: agent.actions.map(({ name }) => name),
    shown: (exchange) => exchange,
    told: (stepEvents) => stepEvents,
    beginning: { code: "c0de", clocksMs: [], knowledge: "", maxDepth: null, shard: null, violationPolicy: null, references: [], root },
  });
  const stored = () => readStoredRun(config.report.outputDir, undefined).explorations;
  keep.flush(explorer.committer, () => result({ stopReason: "interrupted" }));
  expect(stored()).toMatchObject([{ name: "a", beginning: { code: "c0de" } }]);
  keep.again();
  expect(stored()).toEqual([]);
  keep.flush(explorer.committer, () => result({ stopReason: "interrupted" }));
  expect(stored()).toMatchObject([{ name: "a", beginning: { code: "c0de" } }]);
  log.discard();
});
