import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { laneCounts } from "../sizes.ts";
import { documentOf, folderWith, only, seqqa, type Explored } from "../support/e2e.ts";
import { NOTES_CONFIG, NOTES_COUNTS, NOTES_SERVER, notesExploration } from "../support/e2e-servers.ts";

/** So few that nothing but the limit makes a run this slow. */
const RATE = 6;

/** The notes, whose targets write down every request but the readiness probe's. */
const SERVER = NOTES_SERVER.replace(
  'if (request.method === "GET")',
  `if (request.url !== "/") appendFileSync("requests.log", request.method + "\\n");\n  if (request.method === "GET")`,
).replace(
  'import { createServer } from "node:http";',
  'import { createServer } from "node:http";\nimport { appendFileSync } from "node:fs";',
);

interface Limited {
  readonly result: Explored;
  readonly requests: number;
}

async function explored(config: string, parallel: number): Promise<Limited> {
  const folder = folderWith({
    "seqqa.yaml": `${NOTES_CONFIG}${config}`,
    "server.mjs": SERVER,
    "notes.explore.mjs": notesExploration(),
  });
  const ran = await seqqa(["run", ".", "--parallel", String(parallel), "--reporter", "json"], { cwd: folder });
  expect(ran.stderr).toBe("");
  const result = only(documentOf(ran));
  expect(result).toMatchObject({ ...NOTES_COUNTS, errors: [], divergences: [], violations: [], stopReason: "exhausted" });
  return { result, requests: readFileSync(join(folder, "requests.log"), "utf8").split("\n").length - 1 };
}

describe("exploration.rate_limit", () => {
  it("holds over all lanes, and changes nothing of the answer", async () => {
    const free = await explored("", 1);
    for (const parallel of laneCounts.map(Number)) {
      const limited = await explored(`exploration: { rate_limit: ${RATE} }\n`, parallel);
      expect(limited.requests).toBeGreaterThan(10);
      expect(limited.result.durationMs).toBeGreaterThanOrEqual(((limited.requests - 1) / RATE) * 1000 - 5);
      expect(limited.result.digest).toBe(free.result.digest);
    }
  });
});
