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

/** The root folder of the repository. */
export const root: string = fileURLToPath(new URL("../..", import.meta.url));
const bin = join(root, "bin/seqqa.js");

/** An exploration in `results.json`. */
export interface Explored extends Omit<ExplorationResult, "toJSON" | "graph"> {
  readonly name: string;
  readonly file: string;
}

/** The document that `--reporter json` prints and `results.json` contains. */
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
  /** The process id of the command. */
  readonly pid: number;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /**
   * The time limit in milliseconds. After it, the command is killed; if it runs in the test's process, it is interrupted and the test fails. Default:
   * 100 s.
   */
  readonly timeoutMs?: number;
}

export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<Ran>;
  /** The output so far. */
  readonly said: { stdout: string; stderr: string };
}

/** Starts the built command in its own process. The process is killed after the tests of the file. */
export function start(args: readonly string[], options: RunOptions = {}): Running {
  return startNode([bin, ...args], options);
}

/** Runs the built command to its end in its own process. Needed for signals, for user code that ends the process, and for output of Node itself. */
export function seqqaProcess(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return start(args, options).ended;
}

/**
 * Runs the built command to its end in this process, with the working directory and the environment of a separate process. Several calls run one
 * after another.
 */
export function seqqa(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const ran = inTurn.then(() => runHere(args, options));
  inTurn = ran.catch(() => undefined);
  return ran;
}

/**
 * Resolves when the last command in this process has ended. Commands cannot run at the same time, because they change the working directory, the
 * environment and the listeners of the process.
 */
let inTurn: Promise<unknown> = Promise.resolve();

async function runHere(args: readonly string[], { cwd = root, env = {}, timeoutMs = 240_000 }: RunOptions): Promise<Ran> {
  const { main } = (await import(join(root, "dist/cli/index.js"))) as { readonly main: typeof mainOfSources };
  const said = { stdout: "", stderr: "" };
  const before = { cwd: process.cwd(), env: { ...process.env } };
  // Remove the test runner's listeners, which would catch errors that the command has to handle.
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
  // If a test fails, nobody waits for its command, so it is interrupted. Otherwise, the next command would wait for it.
  atEnd(() => interrupts.forEach((interrupt) => interrupt()));
  const timer = setTimeout(() => {
    for (const interrupt of interrupts) interrupt();
    fail(new Error(`seqqa ${args.join(" ")} did not end within ${timeoutMs} ms:\n${said.stdout}${said.stderr}`));
  }, timeoutMs);
  try {
    process.chdir(cwd);
    replaceEnvironment({ ...userEnvironment, ...env });
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

/** Starts any Node program, in the environment of a user. */
export function startNode(args: readonly string[], options: RunOptions = {}): Running {
  return startProgram(process.execPath, args, options);
}

/** Starts any program, in the environment of a user. */
export function startProgram(
  program: string,
  args: readonly string[],
  { cwd = root, env = {}, timeoutMs = 240_000 }: RunOptions = {},
): Running {
  const child = spawn(program, [...args], { cwd, env: { ...userEnvironment, ...env }, stdio: ["ignore", "pipe", "pipe"] });
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

/** The environment without variables that influence seqqa or its colours. */
export const userEnvironment: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !AGENT_VARIABLES.includes(name) && !/^(?:SEQQA_|FORCE_COLOR$|CI$|NODE_OPTIONS$|VITEST|BUG$|PORT$|TMPDIR$)/.test(name),
  ),
);

/** A command that runs in this process has the environment of a user while it runs, without the temporary folder of the tests. */
const TEMPORARY = tmpdir();

/** Creates a temporary folder with these files. It is removed after the tests of the file. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(TEMPORARY, "seqqa-e2e-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Makes packages that are installed in the repository available in a folder. The package `seqqa` is the built one. */
export function linkPackages(folder: string, ...names: readonly string[]): void {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  for (const name of names) symlinkSync(name === "seqqa" ? root : join(root, "node_modules", name), join(folder, "node_modules", name));
}

/** Creates an empty folder for reports. It is removed after the tests of the file. */
export function emptyFolder(): string {
  return folderWith({});
}

/** Returns the document that a run with `--reporter json` printed. */
export function documentOf({ stdout, stderr }: Pick<Ran, "stdout" | "stderr">): Document {
  let document: unknown;
  try {
    document = JSON.parse(stdout);
  } catch {
    throw new Error(`Standard output is not one JSON document:\n${stdout.slice(0, 500)}\n${stderr}`);
  }
  return checked(document);
}

/** Checks that a document fits the schema in the package, and returns it. Every document in a test passes through this check. */
function checked(document: unknown): Document {
  const errors = schemaErrors(document);
  if (errors.length > 0) throw new Error(`The document does not fit seqqa.results.schema.json:\n${errors.slice(0, 10).join("\n")}`);
  return document as Document;
}

/** Returns the only exploration of a document. @throws Error if there are several, or none */
export function only({ explorations, failures }: Document): Explored {
  if (explorations.length !== 1)
    throw new Error(`There are ${explorations.length} explorations, not one. ${JSON.stringify(failures ?? [])}`);
  return explorations[0]!;
}

/** Returns the `results.json` in a folder of reports. */
export function writtenIn(folder: string): Document {
  return checked(JSON.parse(readFileSync(join(folder, "results.json"), "utf8")));
}

/** Returns the running processes that a process started, directly or through other processes. */
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

/** Returns `true` if a process runs. A zombie process does not count as running. */
export function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/^[ZX]$/.test(statFields(String(pid))[0] ?? "X");
}

/** Returns the command line of a process, with blanks between its words. */
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

/** Returns the fields of /proc/<pid>/stat after the name of the command: state, parent, and so on. */
function statFields(pid: string): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

/** Waits until a condition holds. The pauses between the checks become longer, because a check may be expensive, e.g. if it opens a connection. */
export async function until(is: () => boolean | Promise<boolean>, what: string, withinMs = 90_000): Promise<void> {
  let pauseMs = 20;
  for (const end = performance.now() + withinMs; !(await is()); pauseMs = Math.min(1.2 * pauseMs, 200)) {
    if (performance.now() > end) throw new Error(`It did not come to: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
