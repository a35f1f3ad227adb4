import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { main as mainOfSources } from "../../src/cli/index.ts";
import type { ExplorationResult } from "../../src/model/results/result.ts";
import { AGENT_VARIABLES } from "../../src/reports/agent/detect-agent.ts";
import { atEnd } from "./at-end.ts";
import { schemaErrors } from "./results-schema.ts";

/** The repository. */
export const root: string = fileURLToPath(new URL("../..", import.meta.url));
const bin = join(root, "bin/seqqa.js");

/** What `results.json` says of one exploration. */
export interface Explored extends Omit<ExplorationResult, "toJSON" | "graph"> {
  readonly name: string;
  readonly file: string;
}

/** `--reporter json` and `results.json`. */
export interface Document {
  readonly seqqa: string;
  readonly explorations: readonly Explored[];
  readonly failures?: readonly { readonly file: string; readonly code: string; readonly message: string; readonly hint?: string }[];
  readonly exitStatus: number;
}

export interface Ran {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The process id that it had. */
  readonly pid: number;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The command is ended by force after so long, or given up where it runs in the test's process; default 100 s. */
  readonly timeoutMs?: number;
}

export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<Ran>;
  /** What it said so far. */
  readonly said: { stdout: string; stderr: string };
}

/** Starts the built command in a process of its own, which is gone when the tests of the file are over. */
export function start(args: readonly string[], options: RunOptions = {}): Running {
  return startNode([bin, ...args], options);
}

/** Runs the built command to its end in a process of its own: for signals, user code that ends the process, and what Node itself prints. */
export function seqqaProcess(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return start(args, options).ended;
}

/** Runs the built command to its end in this process, one after another, with the working directory and the environment that a process of its own would have. */
export function seqqa(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const ran = inTurn.then(() => runHere(args, options));
  inTurn = ran.catch(() => undefined);
  return ran;
}

/** The command that runs in this process: the working directory, the environment and the listeners of a process cannot be shared. */
let inTurn: Promise<unknown> = Promise.resolve();

async function runHere(args: readonly string[], { cwd = root, env = {}, timeoutMs = 100_000 }: RunOptions): Promise<Ran> {
  const { main } = (await import(join(root, "dist/cli/index.js"))) as { readonly main: typeof mainOfSources };
  const said = { stdout: "", stderr: "" };
  const before = { cwd: process.cwd(), env: { ...process.env } };
  // The test runner's own listeners would take what the command has to deal with.
  const runners = (["uncaughtException", "unhandledRejection"] as const).map((event) => ({
    event,
    listeners: process.listeners(event as never),
  }));
  for (const { event } of runners) process.removeAllListeners(event);
  let fail: (error: unknown) => void = () => undefined;
  const broken = new Promise<never>((_, reject) => (fail = reject));
  process.on("uncaughtException", (error) => {
    if (process.listenerCount("uncaughtException") === 1) fail(error);
  });
  const interrupts = new Set<() => void>();
  // A test that fails does not wait for the command that it began; the next one would.
  atEnd(() => interrupts.forEach((interrupt) => interrupt()));
  const timer = setTimeout(() => {
    for (const interrupt of interrupts) interrupt();
    fail(new Error(`seqqa ${args.join(" ")} did not end within ${timeoutMs} ms:\n${said.stdout}${said.stderr}`));
  }, timeoutMs);
  try {
    process.chdir(cwd);
    replaceEnvironment({ ...clean, ...env });
    const shell = {
      stdout: { write: (text: string) => ((said.stdout += text), true) },
      stderr: { write: (text: string) => ((said.stderr += text), true) },
      env: process.env,
      cwd: process.cwd(),
      onInterrupt: (interrupt: () => void) => {
        interrupts.add(interrupt);
        return () => void interrupts.delete(interrupt);
      },
      exit: (status: number) => fail(new Error(`The command ended the process with ${status}.`)),
    };
    const status = await Promise.race([main(args, shell), broken]);
    return { status, signal: null, ...said, pid: process.pid };
  } finally {
    clearTimeout(timer);
    process.chdir(before.cwd);
    replaceEnvironment(before.env);
    for (const { event, listeners } of runners) {
      process.removeAllListeners(event);
      for (const listener of listeners) process.on(event, listener as never);
    }
  }
}

function replaceEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

/** Starts a plain Node program in the environment of a user. */
export function startNode(args: readonly string[], options: RunOptions = {}): Running {
  return startProgram(process.execPath, args, options);
}

/** Starts any program in the environment of a user. */
export function startProgram(
  program: string,
  args: readonly string[],
  { cwd = root, env = {}, timeoutMs = 100_000 }: RunOptions = {},
): Running {
  const child = spawn(program, [...args], { cwd, env: { ...clean, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const pid = child.pid!;
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said.stderr += text));
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  const ended = new Promise<Ran>((resolve) => {
    child.once("close", (status, signal) => {
      clearTimeout(timer);
      resolve({ status, signal, ...said, pid });
    });
  });
  atEnd(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  });
  return { child, pid, ended, said };
}

/** The environment without what would steer seqqa or its colours. */
const clean: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !AGENT_VARIABLES.includes(name) && !/^(?:SEQQA_|FORCE_COLOR$|CI$|NODE_OPTIONS$|VITEST|BUG$|PORT$)/.test(name),
  ),
);

/** A temporary folder with these files, removed at the end. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "seqqa-e2e-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Makes packages that are installed in the repository those of a folder, too; `seqqa` is the built package itself. */
export function linkPackages(folder: string, ...names: readonly string[]): void {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  for (const name of names) symlinkSync(name === "seqqa" ? root : join(root, "node_modules", name), join(folder, "node_modules", name));
}

/** An empty folder for reports, removed at the end. */
export function emptyFolder(): string {
  return folderWith({});
}

/** The document of a run with `--reporter json`. */
export function documentOf({ stdout, stderr }: Pick<Ran, "stdout" | "stderr">): Document {
  let document: unknown;
  try {
    document = JSON.parse(stdout);
  } catch {
    throw new Error(`Standard output is not one JSON document:\n${stdout.slice(0, 500)}\n${stderr}`);
  }
  return checked(document);
}

/** Every document that a test looks at is one by the schema of the package. */
function checked(document: unknown): Document {
  const errors = schemaErrors(document);
  if (errors.length > 0) throw new Error(`The document does not fit seqqa.results.schema.json:\n${errors.slice(0, 10).join("\n")}`);
  return document as Document;
}

/** The one exploration of a document. */
export function only({ explorations, failures }: Document): Explored {
  if (explorations.length !== 1)
    throw new Error(`There are ${explorations.length} explorations, not one. ${JSON.stringify(failures ?? [])}`);
  return explorations[0]!;
}

/** `results.json` of a folder of reports. */
export function writtenIn(folder: string): Document {
  return checked(JSON.parse(readFileSync(join(folder, "results.json"), "utf8")));
}

/** The processes that a process started and that still run, with those that they started in turn. */
export function descendants(pid: number): readonly number[] {
  const children = new Map<number | undefined, string[]>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(name);
    children.set(parent, [...(children.get(parent) ?? []), name]);
  }
  const below = (parent: number): readonly number[] =>
    (children.get(parent) ?? []).flatMap((child) => [Number(child), ...below(Number(child))]);
  return below(pid);
}

/** Whether a process runs. Zombies do not. */
export function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/^[ZX]$/.test(statFields(String(pid))[0] ?? "X");
}

/** The command line of a process, its words parted by blanks. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

function parentOf(pid: string): number | undefined {
  const parent = statFields(pid)[1];
  return parent === undefined ? undefined : Number(parent);
}

/** Of /proc/<pid>/stat what stands after the command: state, parent, ... */
function statFields(pid: string): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

/** Waits until something is so. Looks cost time, some of them a connection: they become rarer. */
export async function until(is: () => boolean | Promise<boolean>, what: string, withinMs = 20_000): Promise<void> {
  let pauseMs = 20;
  for (const end = performance.now() + withinMs; !(await is()); pauseMs = Math.min(1.2 * pauseMs, 200)) {
    if (performance.now() > end) throw new Error(`It did not come to: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
