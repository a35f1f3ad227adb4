import { once } from "node:events";
import { mkdirSync, realpathSync, rmSync, watch, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, it, vi } from "vitest";
import type { ExplorationResult } from "../../../../src/model/results/result.ts";
import { result, Sink, violation } from "../../../support/results.ts";
import { folderWith, seqqa, type Outcome } from "../../../support/cli-harness.ts";

const JSON_ONLY = "report:\n  formats: [json]\n";
const AGENT = "export const agent = {};\n";

function folderOf(files: Readonly<Record<string, string>>): string {
  return realpathSync(folderWith(files));
}

interface Watching {
  /** The number of the explorations that have begun. */
  calls(): number;
  /** Writes a file, and waits until a round of explorations that it caused is over. */
  change(file: string, text: string): Promise<void>;
  idle(count: number): Promise<void>;
  readonly stderr: Sink;
  end(): Promise<Outcome>;
}

/** Starts `seqqa run . --watch`. `explore` stands for the engine. */
function watching(cwd: string, explore: (file: string, call: number, signal: AbortSignal) => Promise<ExplorationResult>): Watching {
  const stderr = new Sink();
  let calls = 0;
  let interrupt = (): void => undefined;
  const ended = seqqa(["run", ".", "--watch"], {
    cwd,
    stderr,
    explore: (input, stop) => {
      interrupt = stop;
      return explore(basename(input.entry), ++calls, input.signal!);
    },
  });
  const waits = (): number => stderr.text.split("Waiting for changes").length - 1;
  const idle = (count: number): Promise<void> =>
    vi.waitFor(() => expect(waits(), stderr.text).toBe(count), { timeout: 20_000, interval: 20 });
  const change = async (file: string, text: string): Promise<void> => {
    const before = waits();
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), text);
    await idle(before + 1);
  };
  const end = (): Promise<Outcome> => {
    interrupt();
    return ended;
  };
  return { calls: () => calls, change, idle, stderr, end };
}

/** Ends when the run is interrupted, which is what a long exploration does. */
async function untilInterrupted(signal: AbortSignal): Promise<ExplorationResult> {
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  return result({ stopReason: "interrupted" });
}

/** Writes a file, and waits until watchers can have noticed it. */
async function writeHeard(file: string, text: string): Promise<void> {
  const heard = once(watch(dirname(file)).unref(), "change");
  writeFileSync(file, text);
  await heard;
}

/** Writes to a hidden folder, as a development server does during a run. */
const compile = (cwd: string, call: number): Promise<void> => writeHeard(join(cwd, ".next/server/app.js"), `compiled ${call}`);

const POSTGRES = `${JSON_ONLY}target:\n  command: tsc && node dist/server.js\ndb_url: postgres://localhost/shop_test\n`;

it.concurrent("a target that writes to a watched folder does not start the explorations endlessly, and the file is named", async () => {
  const cwd = folderOf({ "seqqa.yaml": POSTGRES, "a.explore.ts": AGENT });
  const { calls, change, idle, stderr, end } = watching(cwd, (_file, call, signal) => {
    writeFileSync(join(cwd, "data.json"), String(call));
    return call < 3 ? untilInterrupted(signal) : Promise.resolve(result());
  });
  await idle(1);
  expect(calls()).toBe(3);
  const note = /^data\.json changed during the run\. The target may write files there, so seqqa does not explore again\./gm;
  expect(stderr.text.match(note)).toHaveLength(1);
  // The file that the target is known to write interrupts no later run.
  await change("seqqa.yaml", `${POSTGRES}# changed`);
  expect(stderr.text).toContain("seqqa.yaml changed.");
  expect(stderr.text.match(note)).toHaveLength(2);
  expect(calls()).toBe(4);
  // Between runs, only the user can have changed it.
  await change("data.json", "the user's");
  expect(calls()).toBe(5);
  await end();
});

it.concurrent("a build in a hidden folder is explored, and what a development server writes there during a run is not", async () => {
  const cwd = folderOf({ "seqqa.yaml": POSTGRES, "a.explore.ts": AGENT, ".next/server/app.js": "0" });
  const { calls, change, idle, stderr, end } = watching(cwd, async (_file, call) => {
    if (call > 2) return result();
    await compile(cwd, call);
    return result();
  });
  await idle(1);
  await change("seqqa.yaml", `${POSTGRES}# changed`);
  expect(calls()).toBe(2);
  const note = ".next/server/app.js changed during the run. If you built the target during the run, build it again.";
  expect(stderr.text.split("\n").filter((line) => line === note)).toHaveLength(2);
  await change(".next/server/page.js", "built");
  expect(stderr.text).toContain("\n.next/server/page.js changed.\n");
  expect(calls()).toBe(3);
  await end();
});

it.concurrent("what a development server writes to a hidden folder is not watched", async () => {
  const yaml = POSTGRES.replace("tsc && node dist/server.js", "next dev");
  const cwd = folderOf({ "seqqa.yaml": yaml, "a.explore.ts": AGENT, ".next/server/app.js": "0" });
  const { calls, change, idle, stderr, end } = watching(cwd, async (_file, call) => {
    await compile(cwd, call);
    return result();
  });
  await idle(1);
  await change("seqqa.yaml", `${yaml}# changed`);
  expect(calls()).toBe(2);
  expect(stderr.text).not.toContain("changed during the run");
  await end();
});

it.concurrent("files of a build that change during the run after a build start it again", async () => {
  const cwd = folderOf({ "seqqa.yaml": POSTGRES, "a.explore.ts": AGENT, ".next/BUILD.json": "0" });
  const { calls, change, idle, stderr, end } = watching(cwd, async (_file, call) => {
    if (call === 2) await writeHeard(join(cwd, ".next/page.js"), "built");
    return result();
  });
  await idle(1);
  await change(".next/BUILD.json", "1");
  expect(stderr.text).toContain("\n.next/page.js changed.\n");
  expect(calls()).toBe(3);
  await end();
});

it.concurrent("a file that the target writes with the same content again is no change", async () => {
  const cwd = folderOf({ "seqqa.yaml": POSTGRES, "a.explore.ts": AGENT });
  const { calls, change, idle, stderr, end } = watching(cwd, (_file, call, signal) => {
    rmSync(join(cwd, "server.js"), { force: true });
    writeFileSync(join(cwd, "server.js"), "compiled");
    return call === 1 ? untilInterrupted(signal) : Promise.resolve(result());
  });
  await idle(1);
  await change("seqqa.yaml", `${POSTGRES}# changed`);
  expect(calls()).toBe(3);
  expect(stderr.text).not.toContain("changed during the run");
  await end();
});

it.concurrent("watches the program of the target, .env files, imported files, and folders that the configuration names later", async () => {
  const root = folderOf({
    "qa/seqqa.yaml": `${JSON_ONLY}target:\n  command: ./cards-api --port 1\n`,
    "qa/cards-api": "1",
    "qa/src/server.js": "",
    "qa/a.explore.ts": 'import { price } from "../shared/price.ts";\nexport const agent = { price };\n',
    "shared/price.ts": "export const price = 1;\n",
    "api/server.js": "",
  });
  const { change, idle, stderr, end } = watching(join(root, "qa"), () => Promise.resolve(result()));
  await idle(1);
  await change("cards-api", "2");
  await change(".env.local", "A=1");
  await change("../shared/price.ts", "export const price = 2;\n");
  await change("seqqa.yaml", `${JSON_ONLY}target:\n  command: node server.js\n  cwd: ../api\n`);
  await change("../api/server.js", "changed");
  await end();
  expect(stderr.text.match(/^\S+ changed\.$/gm)).toEqual([
    "cards-api changed.",
    ".env.local changed.",
    `${root}/shared/price.ts changed.`,
    "seqqa.yaml changed.",
    `${root}/api/server.js changed.`,
  ]);
});

it.concurrent("keeps the result of each exploration on its own, and none that may depend on chance", async () => {
  const cwd = folderOf({
    "seqqa.yaml": `${JSON_ONLY}target:\n  command: node server.js\n  cwd: api\n`,
    "api/server.js": "",
    "doubtful.explore.ts": AGENT,
    "finding.explore.ts": AGENT,
  });
  const explored: string[] = [];
  const once = async (): Promise<Outcome> => {
    const { idle, end } = watching(cwd, (file) => {
      explored.push(file);
      return Promise.resolve(
        result(file.startsWith("finding") ? { violations: [violation()] } : { unverified: ["A rule was not checked."] }),
      );
    });
    await idle(1);
    return end();
  };
  await once();
  const again = await once();
  expect(explored).toEqual(["doubtful.explore.ts", "finding.explore.ts", "doubtful.explore.ts"]);
  expect(again.stdout).toContain("unchanged since run");
  expect(again.status).toBe(1);
});

it.concurrent("a change during a run says that the run starts again, and prints no report of the interrupted run", async () => {
  const cwd = folderOf({ "seqqa.yaml": POSTGRES, "a.explore.ts": AGENT });
  const { calls, idle, stderr, end } = watching(cwd, (_file, call, signal) => {
    if (call > 1) return Promise.resolve(result());
    writeFileSync(join(cwd, "rules.ts"), "changed");
    return untilInterrupted(signal);
  });
  await idle(1);
  expect(calls()).toBe(2);
  expect(stderr.text).toContain("rules.ts changed. The run starts again.\n");
  expect(stderr.text.match(/changed/g)).toHaveLength(1);
  expect(stderr.text).not.toContain("Ctrl-C again");
  const { stdout } = await end();
  expect(stdout).not.toContain("INTERRUPTED");
  expect(stdout.match(/^PASSED/gm)).toHaveLength(1);
});

it.concurrent("listens to the end of the command only once, however often files change", async () => {
  const cwd = folderOf({ "seqqa.yaml": POSTGRES, "a.explore.ts": AGENT });
  const warnings: Error[] = [];
  const warned = (warning: Error): void => void warnings.push(warning);
  process.on("warning", warned);
  const { change, idle, end } = watching(cwd, () => Promise.resolve(result()));
  await idle(1);
  for (let count = 1; count <= 11; count++) await change("rules.ts", String(count));
  await end();
  process.off("warning", warned);
  expect(warnings.filter(({ name }) => name === "MaxListenersExceededWarning")).toEqual([]);
});
