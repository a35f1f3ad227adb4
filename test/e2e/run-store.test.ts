import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { full, size, some } from "../sizes.ts";
import { emptyFolder, folderWith, linkPackages, seqqa, start, until } from "../support/e2e.ts";
import { storedEdges } from "../support/stored-edges.ts";

const runsIn = (output: string): readonly string[] => (existsSync(join(output, "runs")) ? readdirSync(join(output, "runs")) : []);

/** The only store of a folder of reports, while it is written or afterwards. */
function fileIn(output: string): string {
  const [name] = runsIn(output).filter((one) => one.endsWith(".db"));
  return join(output, "runs", name ?? "none");
}

function rows(output: string, sql: string): readonly unknown[] {
  const db = new Database(fileIn(output), { readonly: true, timeout: 5000 });
  try {
    return db.prepare(sql).raw().all();
  } finally {
    db.close();
  }
}

const count = (output: string, table: string): number => (rows(output, `SELECT count(*) FROM ${table}`)[0] as [number])[0];

/** The store is there, and can be read. */
function isThere(output: string): boolean {
  try {
    return count(output, "run") === 1;
  } catch {
    return false;
  }
}

/** The executed pairs of the first exploration, in the order of their commit. */
function edges(output: string): readonly (readonly number[])[] {
  const db = new Database(fileIn(output), { readonly: true, timeout: 5000 });
  try {
    return storedEdges(db, 0);
  } finally {
    db.close();
  }
}
const edgeCount = (output: string): number => edges(output).length;

interface Reported {
  readonly exitStatus: number;
  readonly explorations: readonly {
    readonly stopReason: string;
    readonly transitions: number;
    readonly notes: readonly string[];
    readonly graph: { readonly edges: number; readonly edgeFrom: readonly number[] };
    readonly violations: readonly { readonly confirmed: boolean; readonly request?: unknown }[];
  }[];
}

async function reportOf(output: string, format: "json" | "html" = "json"): Promise<string> {
  const config = join(folderWith({ "seqqa.yaml": `report: { output_dir: ${JSON.stringify(output)} }\n` }), "seqqa.yaml");
  const { status, stdout, stderr } = await seqqa(["report", "--config", config, "--format", format, "--output", "-"]);
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

const documentOf = async (output: string): Promise<Reported> => JSON.parse(await reportOf(output)) as Reported;

const LEDGER = ["run", "fixtures/ledger", "--only", "ledger", "--output"];

describe("what is kept of a run", () => {
  it("is the same for every number of lanes: states, edges, what was sent and what came back", { timeout: 300_000 }, async () => {
    const steps = size(30, 5_000);
    const kept = async (lanes: number): Promise<unknown> => {
      const output = emptyFolder();
      const { status, stderr } = await seqqa([...LEDGER, output, "--max-steps", String(steps), "--parallel", String(lanes)]);
      // A machine that is busy is told how far it is every ten seconds.
      expect([status, stderr.replace(/^(?:note: |ledger {2}).*\n/gm, "")]).toEqual([0, ""]);
      const exchanges = rows(
        output,
        "SELECT edge, position, method, url, request_headers, request_body, status, response_headers, response_body FROM exchanges WHERE edge IS NOT NULL ORDER BY edge",
      );
      expect(exchanges).toHaveLength(steps);
      // Every state has its lines, the root state among them.
      expect(count(output, "states")).toBe(count(output, "nodes"));
      return {
        edges: edges(output),
        nodes: rows(output, "SELECT id, parent, action, depth, lo, hi FROM nodes ORDER BY id"),
        states: rows(output, "SELECT node, lines FROM states ORDER BY node"),
        // The clock and the ports are the lanes' own.
        exchanges: JSON.stringify(exchanges).replaceAll(/127\.0\.0\.1:\d+|"date\\":\\"[^"]*"|\\"\d{4}-\d\d-\d\dT[^"]*"/g, "*"),
      };
    };
    const one = await kept(1);
    for (const lanes of some([2, 3], 1)) expect(await kept(lanes)).toEqual(one);
  });

  it("holds no secret, and with include_request_response: false no request", { timeout: 100_000 }, async () => {
    const files = {
      "secret.explore.ts": `
import { Action, Agent, Invariant, World } from "seqqa";
import { MockClient } from "seqqa/mocking";
const client = () => {
  const api = new MockClient();
  api.whenPost("/login").respond({ token: { nested: "hunter-1" }, list: [{ secret: ["hunter-2"] }], long: "x".repeat(20000), password: "hunter-3", kept: 1 });
  return api;
};
export const agent = new Agent({
  name: "secrets",
  world: () => new World({ api: client() }),
  actions: [
    new Action({ name: "login", run: async (api, context) => {
      api.setAuthToken("hunter-4");
      const response = await api.post("/login?token=hunter-5", { json: { password: "hunter-6", user: { "access-token": { a: ["hunter-7"] } } }, headers: { cookie: "hunter-8" } });
      context.set("token", { deep: ["hunter-9"] });
      context.set("session", { user: "me", secret: "hunter-10", text: JSON.stringify({ password: "hunter-11" }) });
      return response;
    } }),
  ],
  invariants: [new Invariant({ name: "never", check: (world) => !world.context.has("token") })],
});`,
      "seqqa.yaml": "exploration: { max_steps: 20 }\n",
      "closed/seqqa.yaml": "exploration: { max_steps: 20 }\nreport: { include_request_response: false }\n",
    };
    const cwd = folderWith(files);
    linkPackages(cwd, "seqqa");
    const all = async (config: string, output: string): Promise<string> => {
      const ran = await seqqa(["run", ".", "--config", config, "--output", output], { cwd });
      expect([ran.status, ran.stderr]).toEqual([1, expect.not.stringMatching(/error/i)]);
      const text = [fileIn(output), join(output, "results.json"), join(output, "report.html")].map((file) => readFileSync(file, "latin1"));
      expect(text.join("").match(/hunter-\d+/g)).toBeNull();
      return text[0]!;
    };
    const open = emptyFolder();
    await all("seqqa.yaml", open);
    expect(rows(open, "SELECT json_extract(request_body, '$.user') FROM exchanges WHERE edge = 0")).toEqual([
      ['{"access-token":"[redacted]"}'],
    ]);
    const states = rows(open, "SELECT lines FROM states WHERE node = 1").flat().join();
    expect(states).toContain('context.session.user = \\"me\\"');
    const closed = emptyFolder();
    await all("closed/seqqa.yaml", closed);
    expect(count(closed, "exchanges")).toBe(0);
    expect(edgeCount(closed)).toBe(edgeCount(open));
  });
});

describe("whatever ends a run", () => {
  /** Signals at these moments, by what the store says of the run. */
  const MOMENTS: readonly (readonly [moment: string, reached: (output: string) => boolean])[] = [
    ["before lanes are up", isThere],
    ["while violations are replayed", (output) => isThere(output) && edgeCount(output) === 281],
    ["when lanes are at work", (output) => isThere(output) && edgeCount(output) >= 20],
    ["in the middle", (output) => isThere(output) && edgeCount(output) >= 120],
    ["when the first one was found", (output) => isThere(output) && count(output, "findings") > 0],
  ];

  // In the quick suite e2e/time-is-up has the replays, and the last test the work of lanes.
  it.each(some(MOMENTS, 1))(
    "SIGINT %s leaves one file, reports that say so, and status 130",
    { timeout: 100_000 },
    async (_moment, reached) => {
      const output = emptyFolder();
      const { child, ended } = start(["run", "fixtures/demo", "--output", output]);
      await until(() => reached(output), "that moment", 60_000);
      child.kill("SIGINT");
      const { status, stderr } = await ended;
      expect([status, stderr]).toEqual([130, expect.stringContaining("Interrupted. ")]);
      expect(runsIn(output)).toHaveLength(1);
      const written = readFileSync(join(output, "results.json"), "utf8");
      expect(await reportOf(output)).toBe(written);
      const document = JSON.parse(written) as Reported;
      expect(document.exitStatus).toBe(130);
      for (const { graph, transitions, stopReason } of document.explorations) {
        expect([graph.edges, graph.edgeFrom.length]).toEqual([transitions, transitions]);
        expect(stopReason).toBe("interrupted");
      }
      expect(readFileSync(join(output, "report.html"), "utf8")).toContain("Interrupted");
    },
  );

  it.runIf(full)("SIGKILL leaves the beginning of the run, and what was found until then", { timeout: 200_000 }, async () => {
    const whole = emptyFolder();
    expect((await seqqa(["run", "fixtures/demo", "--output", whole])).status).toBe(1);
    const all = edges(whole);
    expect(all).toHaveLength(281);
    // A run that ended is reported as it was, character by character.
    for (const [format, file] of Object.entries({ html: "report.html", json: "results.json" })) {
      expect(await reportOf(whole, format as "html" | "json")).toBe(readFileSync(join(whole, file), "utf8"));
    }
    for (let time = 0; time < size(1, 10); time++) {
      const output = emptyFolder();
      const { child, ended } = start(["run", "fixtures/demo", "--output", output, "--parallel", String(1 + (time % 2))]);
      await until(() => isThere(output) && count(output, "findings") > 0 && edgeCount(output) >= 20 + 20 * time, "findings", 60_000);
      child.kill("SIGKILL");
      expect((await ended).signal).toBe("SIGKILL");
      const kept = edges(output);
      expect(kept).toEqual(all.slice(0, kept.length));
      const document = await documentOf(output);
      expect(document.exitStatus).toBe(130);
      const [exploration] = document.explorations;
      expect(exploration).toMatchObject({ stopReason: "interrupted", transitions: kept.length });
      expect(exploration!.notes.at(-1)).toBe(
        "The run stopped early, or is still in progress. This result contains only the part that was stored so far.",
      );
      expect(exploration!.violations).toMatchObject([{ confirmed: false, request: { method: "POST" } }]);
      expect(await reportOf(output, "html")).toContain("Interrupted");
    }
  });

  it("a world in memory hears signals, too", { timeout: 100_000 }, async () => {
    const output = emptyFolder();
    const args = ["run", "fixtures/stock", "--only", "memory", "--max-steps", "100000000", "--output", output];
    const { child, ended } = start(args, { env: { N: "10" } });
    await until(() => isThere(output) && edgeCount(output) > 0, "edges", 60_000);
    child.kill("SIGINT");
    expect((await ended).status).toBe(130);
    expect((await documentOf(output)).explorations).toMatchObject([{ stopReason: "interrupted" }]);
    expect(statSync(fileIn(output)).mode & 0o777).toBe(0o600);
    for (const report of ["report.html", "results.json"]) expect(statSync(join(output, report)).mode & 0o777).toBe(0o600);
  });
});
