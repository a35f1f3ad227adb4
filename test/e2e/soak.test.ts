import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { size, some } from "../sizes.ts";
import { folderWith, linkPackages, startNode } from "../support/e2e.ts";
import { slopeOf } from "../support/slope.ts";
import { SOAK_EXPLORATION, SOAK_FINDINGS, SOAK_PROGRAM, SOAK_SERVER } from "../support/soak.ts";
import { onPostgres, template } from "../support/store-templates.ts";

/** Five seconds in `npm test`, five minutes in `npm run verify:full`, whose parts take ten, and two hours in `npm run soak`. */
const SECONDS = Number(process.env["SEQQA_SOAK_SECONDS"] ?? size(5, 300));
/** Explorations after the first two, whatever the time: one on two lanes among them at full size. */
const ROUNDS = size(2, 4);
/** Steps of one exploration: a long test has longer ones, in which the restarts of the target take a smaller part of the time. */
const STEPS = SECONDS < 120 ? 105 : 4000;
/** The growth of the heap that the project promises not to exceed, in bytes per step: 1 kB per 1,000 steps. */
const MOST_PER_STEP = 1;
/** Bytes by which the heap differs from one exploration to the next after a forced collection, with {@link PLAIN_HEAP}; the first few still load code. */
const noise = (explorations: number): number => (explorations < 6 ? 60_000 : 30_000);
/**
 * Options of Node that keep compiled code out of the heap: with the optimising compilers, each exploration adds some 40 kB of machine code, which hides
 * a leak for hours. All functions get their tables of feedback at once, and keep their bytecode.
 */
const PLAIN_HEAP = ["--expose-gc", "--no-opt", "--no-maglev", "--no-sparkplug", "--no-lazy-feedback-allocation", "--no-flush-bytecode"];

interface Round {
  readonly kind: "round";
  readonly round: number;
  readonly parallel: number;
  readonly steps: number;
  readonly heapUsed: number;
  readonly rss: number;
  readonly digest: string;
  readonly stopReason: string;
  readonly unverified: readonly unknown[];
  readonly errors: readonly unknown[];
  readonly divergences: readonly unknown[];
  readonly violations: readonly {
    readonly id: string;
    readonly invariant: string;
    readonly path: readonly string[];
    readonly confirmed: boolean;
  }[];
}
interface Open {
  readonly kind: "open";
  readonly when: "start" | "end";
  readonly resources: readonly string[];
  readonly files: readonly string[];
  readonly children: readonly string[];
  readonly temporary: readonly string[];
  readonly listeners: readonly string[];
}
interface Replay {
  readonly kind: "replay";
  readonly invariant: string;
  readonly path: readonly string[];
  readonly broken: readonly string[];
}

const ofKind = <T extends { readonly kind: string }>(lines: readonly { readonly kind: string }[], kind: T["kind"]): readonly T[] =>
  lines.filter((line): line is T => line.kind === kind);

/** The configuration of a store, and the names of its databases at the moment. */
interface Store {
  readonly yaml: string;
  readonly databases: () => Promise<readonly string[]>;
}
const STORES: Readonly<Record<string, () => Promise<Store>>> = {
  sqlite: () =>
    Promise.resolve({
      yaml: `target: { command: node server.mjs, env: { PORT: "{port}", DB_PATH: "{db_path}" } }\n`,
      databases: () => Promise.resolve([]),
    }),
  postgres: async () => {
    const url = await template("postgres");
    return {
      yaml: `db_url: ${url}\ntarget: { command: node server.mjs, env: { PORT: "{port}", DB_URL: "{db_url}" } }\n`,
      databases: async () => (await onPostgres(url, "SELECT datname FROM pg_database ORDER BY 1")).map(({ datname }) => String(datname)),
    };
  },
};

describe("explorations without end of a target that delays, resets, sends garbage and crashes", () => {
  it.each(some(Object.keys(STORES), 1))(
    "keep their memory, leave nothing open, and find the same every time: %s",
    { timeout: SECONDS * 1000 + 600_000 },
    async (name) => {
      const store = await STORES[name]!();
      const cwd = folderWith({
        "package.json": '{ "type": "module" }',
        "seqqa.yaml": `${store.yaml}timeout: 5\n`,
        "server.mjs": SOAK_SERVER,
        "soak.explore.mjs": SOAK_EXPLORATION,
        "measure.mjs": SOAK_PROGRAM,
      });
      linkPackages(cwd, "seqqa", "better-sqlite3", "pg");
      mkdirSync(join(cwd, "tmp"));
      const before = await store.databases();
      const env = { TMPDIR: join(cwd, "tmp"), SOAK_STEPS: String(STEPS) };
      const timeoutMs = SECONDS * 1000 + 590_000;
      const { ended, child } = startNode([...PLAIN_HEAP, "measure.mjs", String(SECONDS), String(ROUNDS)], { cwd, env, timeoutMs });
      const log = process.env["SEQQA_SOAK_LOG"];
      if (log !== undefined) child.stdout!.on("data", (text: string) => appendFileSync(log, text));
      const { status, stdout, stderr } = await ended;
      expect([status, stderr]).toEqual([0, ""]);
      const lines = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { readonly kind: string });

      const rounds = ofKind<Round>(lines, "round");
      for (const { digest, stopReason, violations, errors, divergences, unverified } of rounds) {
        expect({ digest, stopReason, errors, divergences, unverified }).toEqual({
          digest: rounds[0]!.digest,
          stopReason: "max_steps",
          errors: [],
          divergences: [],
          unverified: [],
        });
        expect(violations.map(({ invariant, path }) => `${invariant} ${path.at(-1)} ${path.length}`).toSorted()).toEqual(SOAK_FINDINGS);
        expect(violations.filter(({ confirmed }) => !confirmed)).toEqual([]);
      }
      const replays = ofKind<Replay>(lines, "replay");
      expect(replays).toHaveLength(SOAK_FINDINGS.length);
      for (const { invariant, broken } of replays) expect(broken).toContain(invariant);

      const [start, end] = ofKind<Open>(lines, "open");
      expect({ ...end, when: "start" }).toEqual(start);
      // esbuild keeps one process for as long as the program runs that bundled a module with it.
      const children = start!.children.filter((one) => !/esbuild --service/.test(one));
      expect([children, start!.temporary, await store.databases()]).toEqual([[], [], before]);

      // The first explorations warm up: modules are loaded, and tables of Node and undici reach their sizes. Those on two lanes have less in this heap.
      const alike = rounds.filter(({ parallel }) => parallel === 1);
      const measured = alike.slice(Math.max(1, Math.floor(alike.length / 4)));
      const steps = measured.at(-1)!.steps - measured[0]!.steps;
      const slope = slopeOf(measured.map((one) => [one.steps, one.heapUsed]));
      console.log(
        `${name}: ${rounds.length} explorations, ${rounds.at(-1)!.steps} steps in ${SECONDS} s; heap ${Math.round(slope * 1000)} bytes per 1,000 steps over ${steps} steps`,
      );
      if (steps > 0) expect(slope * steps, `${slope} bytes per step`).toBeLessThan(MOST_PER_STEP * steps + noise(measured.length));
    },
  );
});
