import Database from "better-sqlite3";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { redactor, runDocument } from "../../../../src/reports/index.ts";
import { newRunId, readStates, RunLog } from "../../../../src/run-log/index.ts";
import { runFile } from "../../../../src/run-log/read/runs.ts";
import { agentOf, randomGraph } from "../../../support/graph-model.ts";
import { Draws } from "../../../support/draws.ts";
import { runExplorer } from "../../../support/run-explorer.ts";
import { report, result } from "../../../support/results.ts";
import { configIn } from "../../../support/stored-runs.ts";

const folder = mkdtempSync(join(tmpdir(), "seqqa-states-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("reads the answers of steps only if they are wanted", async () => {
  const config = configIn(folder);
  const agent = agentOf(randomGraph(new Draws(1), { states: 20, actions: 2, loops: 0, skips: 0, errors: 0, findings: 0 }));
  const { explorer } = await runExplorer(agent, { journal: true });
  const run = newRunId(new Date());
  const document = runDocument({ ...report({ run }), explorations: [], journeys: [], failures: [] }, config.report);
  const log = new RunLog(config, document, redactor(config.report.redact));
  const keep = log.exploration("a.explore.ts");
  const actions = agent.actions.map(({ name }) => name);
  const root = { wholeLo: 0, wholeHi: 0, rootLo: 0, rootHi: 0, lines: [], broken: [] };
  keep.begin({
    name: "a",
    strategy: "bfs",
    actions,
    shown: (exchange) => exchange,
    told: (stepEvents) => stepEvents,
    beginning: { code: "c0de", clocksMs: [], knowledge: "", maxDepth: null, shard: null, violationPolicy: null, references: [], root },
  });
  keep.flush(explorer.committer, () => result({ stopReason: "interrupted" }));
  log.end(document);
  const db = new Database(runFile(config.report.outputDir, run));
  db.exec(`UPDATE explorations SET document = json_set(document, '$.coverage', json('${JSON.stringify({ actions: { [actions[0]!]: { role: "bob" } } })}'));
    INSERT INTO exchanges (exploration, edge, position, method, url, request_headers, status, response_body, duration_ms)
      SELECT id, 0, 0, 'GET', '/', '{}', 200, 'ok', 1 FROM explorations`);
  db.close();
  const answers = (withAnswers?: boolean) =>
    readStates(config.report.outputDir, run, withAnswers).explorations[0]!.steps.flatMap((step) => step.answers ?? []);
  expect(answers()).toEqual([{ method: "GET", url: "/", status: 200, body: "ok" }]);
  expect(answers(false)).toEqual([]);
});
