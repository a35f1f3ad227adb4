import { spawn, type ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as delay } from "node:timers/promises";
import { SeqqaError } from "../../model/errors.ts";
import type { TargetEnd } from "../../model/results/target-end.ts";
import { groupRuns, killGroup } from "./kill-group.ts";
import { lastLines, OutputTail } from "./output-tail.ts";

const TERM_GRACE_MS = 2_000;
const KILL_GRACE_MS = 1_000;
/** How long, in milliseconds, the pipes of an ended process are waited for: a grandchild may hold them open. */
const DRAIN_MS = 200;
const POLL_MS = 10;
/** How long, in milliseconds, the end of a process is waited for: its connections close before its end is reported to us. */
const NEWS_MS = 500;

export interface TargetCommand {
  /** A shell command line with all placeholders filled in. */
  readonly line: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Secrets to hide in what it prints. */
  readonly passwords?: readonly string[] | undefined;
  /** The configuration key of the command; default `target.command`. */
  readonly key?: string | undefined;
  /** Receives everything that the process prints. */
  readonly onOutput?: ((text: string) => void) | undefined;
}

export interface TargetExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last part of what it printed, for people. */
  readonly output: string;
}

/** A target in a process group of its own, so that everything that its shell started ends with it. */
export class TargetProcess {
  /** Also the id of the group. */
  readonly pid: number;
  /** Resolves once the process has ended and its output was read. */
  readonly ended: Promise<TargetExit>;
  /** Resolves once the first process of the group has ended. */
  readonly #exited: Promise<void>;
  readonly #child: ChildProcess;
  readonly #output: OutputTail;
  #stopping = false;
  /** `true` if no process of the group is left: another process may have its id. */
  #over = false;

  private constructor(child: ChildProcess, pid: number, { passwords, onOutput }: TargetCommand) {
    this.pid = pid;
    this.#output = new OutputTail(passwords);
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      const decoder = new StringDecoder("utf8");
      stream?.on("data", (chunk: Buffer) => {
        const text = decoder.write(chunk);
        this.#output.push(text);
        onOutput?.(text);
      });
      stream?.on("error", () => {});
    }
    this.#exited = new Promise((resolve) => void child.once("exit", () => resolve()));
    this.ended = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        const settle = (): void => {
          clearTimeout(timer);
          resolve({ code, signal, output: this.#output.text });
        };
        const timer = setTimeout(settle, DRAIN_MS);
        child.once("close", settle);
      });
    });
  }

  /** @throws SeqqaError `TARGET_SPAWN` when not even a shell can be started. */
  static async start(command: TargetCommand): Promise<TargetProcess> {
    const child = spawn(command.line, {
      shell: true,
      detached: true,
      cwd: command.cwd,
      env: command.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    if (child.pid !== undefined) {
      child.on("error", () => {});
      return new TargetProcess(child, child.pid, command);
    }
    const error = await new Promise<Error>((resolve) => child.once("error", resolve));
    throw new SeqqaError("TARGET_SPAWN", `${command.key ?? "target.command"} could not be started in ${command.cwd}: ${error.message}.`, {
      exitStatus: 2,
      hint: "Check its cwd.",
      cause: error,
    });
  }

  /** Returns how the process ended by itself, or that it runs; `undefined` if it was stopped on purpose. */
  async fate(): Promise<TargetEnd | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const tired = new Promise<void>((resolve) => (timer = setTimeout(resolve, NEWS_MS)));
    await Promise.race([this.ended, tired]);
    clearTimeout(timer);
    if (this.#stopping) return undefined;
    const { exitCode, signalCode } = this.#child;
    return { exitCode, signal: signalCode, output: lastLines(this.#output.text) };
  }

  /** `true` if the process ended by itself. */
  get hasExited(): boolean {
    return !this.#stopping && (this.#child.exitCode !== null || this.#child.signalCode !== null);
  }

  get output(): string {
    return this.#output.text;
  }

  /** Lets this process end even if the target still runs. */
  unref(): void {
    this.#child.unref();
    for (const stream of [this.#child.stdout, this.#child.stderr]) (stream as Socket | null)?.unref();
  }

  /** Sends SIGTERM to the group, and SIGKILL to the rest of it after 2 s. */
  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.#over) return;
    if (!killGroup(this.pid, "SIGTERM") || (await this.#gone(TERM_GRACE_MS))) return;
    killGroup(this.pid, "SIGKILL");
    await this.#gone(KILL_GRACE_MS);
  }

  /** Sends SIGKILL to the group; returns when none of it runs. */
  async end(): Promise<void> {
    this.#stopping = true;
    this.#over = !killGroup(this.pid, "SIGKILL") || (await this.#gone(KILL_GRACE_MS, 1));
  }

  /** Sends SIGKILL to the group without waiting, for the end of this process. */
  kill(): void {
    this.#stopping = true;
    if (this.#over) return;
    killGroup(this.pid, "SIGKILL");
  }

  /** Resolves to `true` once no process of the group runs, to `false` after `withinMs`. */
  async #gone(withinMs: number, pollMs = POLL_MS): Promise<boolean> {
    const until = performance.now() + withinMs;
    // Looking for other processes of the group reads all of /proc, so the end of the first one is waited for.
    await this.#exitedWithin(withinMs);
    for (;;) {
      if (!groupRuns(this.pid)) return true;
      if (performance.now() >= until) return false;
      await delay(pollMs);
    }
  }

  async #exitedWithin(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([this.#exited, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))]);
    clearTimeout(timer);
  }
}
