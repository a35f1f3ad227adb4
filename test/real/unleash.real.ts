import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { explore } from "../models/explore.ts";
import { emptyFolder, only, seqqaProcess, writtenIn, type Explored } from "../support/e2e.ts";
import { postgresUrl } from "../support/services.ts";
import { dumpDatabase } from "./dump-database.ts";
import { flags } from "./flags-model.ts";
import { installServer, migrate } from "./server.ts";

const RUNS = 3;
const LANES = 4;
const counts = explore(flags);
const name = `seqqa_test_real_${randomBytes(4).toString("hex")}`;
let admin: Client;
let template: string;
let server: string;

beforeAll(async () => {
  const url = new URL(await postgresUrl());
  admin = new Client({ connectionString: new URL("/postgres", url).href });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  template = new URL(`/${name}`, url).href;
  server = await installServer();
  await migrate(server, template);
});

afterAll(async () => {
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin.end();
});

/** The databases that a run left; by the run's id, since other runs may be at work on this server. */
async function leftBy(lanes: readonly Dumped[]): Promise<readonly string[]> {
  const [run] = /^seqqa_[0-9a-f]+_/.exec(lanes[0]!.database)!;
  const { rows } = await admin.query<{ datname: string }>("SELECT datname FROM pg_database WHERE starts_with(datname, $1)", [run]);
  return rows.map(({ datname }) => datname);
}

/** One run; what the lanes' databases held at their ends is in `dumps`. */
async function run(dumps: string): Promise<Explored & { readonly exitStatus: number | null }> {
  const output = emptyFolder();
  const ran = await seqqaProcess(["run", "test/real/unleash", "--parallel", String(LANES), "--output", output], {
    env: { REAL_TEMPLATE: template, REAL_SERVER: server, REAL_DUMPS: dumps },
    timeoutMs: 900_000,
  });
  // What is said of lanes that were lost, and of what the server said last, is the first thing to look at when a run comes out otherwise.
  if (/seqqa starts lane \d+ again|^error/m.test(ran.stderr)) console.info(ran.stderr);
  return { ...only(writtenIn(output)), exitStatus: ran.status };
}

interface Dumped {
  readonly lane: string;
  readonly database: string;
  readonly text: string;
}

function dumped(folder: string, when: "before" | "after"): readonly Dumped[] {
  return readdirSync(folder).flatMap((file) => {
    const [, lane = "", database = "", then] = /^(lane\d+)-\d+-(.*)\.(before|after)\.txt$/.exec(file) ?? [];
    return then === when ? [{ lane, database, text: readFileSync(join(folder, file), "utf8") }] : [];
  });
}

/** The database that a lane had last: they are numbered. */
function lastOf(lanes: readonly Dumped[]): string {
  const numbered = lanes.map(({ database }) => [Number(/\d+$/.exec(database)![0]), database] as const);
  return numbered.toSorted(([a], [b]) => b - a)[0]![1];
}

it("a server that nobody here wrote: equal to its model in every run, and every lane's database put back to the template", async () => {
  const wanted = await dumpDatabase(template);
  expect(wanted.match(/^table /gm)!.length).toBeGreaterThan(20);
  expect(counts.states).toBeGreaterThan(100);
  const digests = new Set<string>();
  for (let i = 0; i < RUNS; i++) {
    const dumps = emptyFolder();
    const result = await run(dumps);
    expect(result).toMatchObject({
      // Two defects of Unleash 6.10.1 are found, see the model.
      exitStatus: 1,
      statesVisited: counts.states,
      transitions: counts.transitions,
      skipped: counts.skipped,
      stopReason: "exhausted",
      divergences: [],
      errors: [],
    });
    const found = result.violations.map(({ invariant, count, confirmed, reproductionPath }) => [
      invariant,
      { count, confirmed, path: reproductionPath },
    ]);
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(
        Object.entries(counts.findings).map(([finding, count]) => [finding, { count, confirmed: true, path: counts.shortest[finding] }]),
      ),
    );
    digests.add(result.digest);

    // All tables and sequences, those that are left out of the state included; `before` holds a flag, and what a job made of it.
    const before = dumped(dumps, "before");
    const after = dumped(dumps, "after");
    const lanes = Array.from({ length: LANES }, (_, lane) => `lane${lane}`);
    const used = before.filter(({ text }) => /^ {2}\(left_over,initial,/m.test(text));
    expect([...new Set(used.map(({ lane }) => lane))].toSorted()).toEqual(lanes);
    // A lane that was lost is put away in a limited time, so what it held may not have been written in whole: its database is not used
    // again. The last one of every lane was.
    const written = new Set(after.map(({ database }) => database));
    for (const lane of lanes) expect(written).toContain(lastOf(before.filter((one) => one.lane === lane)));
    for (const { text } of after) expect(text).toBe(wanted);
    expect(await dumpDatabase(template)).toBe(wanted);
    expect(await leftBy(after)).toEqual([]);
    const tables = wanted.match(/^table /gm)!.length;
    console.info(
      `run ${i + 1} of ${RUNS}: ${result.statesVisited} states, ${result.transitions} transitions, digest ${result.digest}; ` +
        `${after.length} lanes' dumps of ${tables} tables are the template's`,
    );
  }
  expect(digests.size).toBe(1);
});

/** Which pairs race, and why, says `unleash-at-once/segments.explore.ts`. */
it("a server that nobody here wrote: a unique name is given twice where two calls meet, held at their writes", async () => {
  const wanted = await dumpDatabase(template);
  const output = emptyFolder();
  const env = { REAL_TEMPLATE: template, REAL_SERVER: server };
  const args = ["run", "test/real/unleash-at-once", "--races", "--parallel", "1", "--output", output];
  const ran = await seqqaProcess(args, { env, timeoutMs: 900_000 });
  const { races, raceCoverage, ...result } = only(writtenIn(output));
  expect(ran.status, ran.stderr).toBe(1);
  expect(result).toMatchObject({ statesVisited: 6, stopReason: "exhausted", violations: [], divergences: [], errors: [] });
  const found = races.map(({ first, second, prefix, observed, allowed }) => {
    const statuses = [observed, ...allowed].map(({ calls }) => calls.map(({ status }) => status));
    return [`${first} || ${second}`, { prefix, statuses: [statuses[0], statuses.slice(1)] }] as const;
  });
  expect(Object.fromEntries(found)).toEqual({
    "create_eu || create_eu": { prefix: [], statuses: [[201, 201], [[201, 409]]] },
    "create_us || create_us": { prefix: [], statuses: [[201, 201], [[201, 409]]] },
    "create_eu || rename_us_to_eu": {
      prefix: ["create_us"],
      statuses: [
        [201, 204],
        [
          [201, 409],
          [409, 204],
        ],
      ],
    },
  });
  // Nothing was seen that was not seen again on a lane that was built anew.
  expect(raceCoverage!.dismissed).toEqual({});
  const report = readFileSync(join(output, "report.html"), "utf8");
  for (const race of races) {
    expect(race).toMatchObject({ verdict: "state", severity: "high", delivery: "gated", hits: race.trials });
    expect(race.schedule).toEqual({ system: "db", held: 0, write: 1, statement: "INSERT segments" });
    expect(report).toContain(race.id);
    expect(race.curl).toContain("/api/admin/segments");
  }
  const replay = ["replay", races[0]!.id, "--output", output, "--config", "test/real/unleash-at-once/seqqa.yaml"];
  const again = await seqqaProcess(replay, { env, timeoutMs: 300_000 });
  expect(again.status, again.stderr).toBe(1);
  expect(again.stdout).toMatch(/^Still fails: (\d+) of \1 trials showed the race\.$/m);
  expect(await dumpDatabase(template)).toBe(wanted);
  console.info(
    `${raceCoverage!.probed} kinds of pairs, ${raceCoverage!.trials} trials in ${(raceCoverage!.durationMs / 1000).toFixed(1)} s`,
  );
});
