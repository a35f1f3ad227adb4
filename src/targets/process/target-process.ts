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
/** The maximum time, in milliseconds, to wait for the output of an ended process. A child of the process may hold the pipes open. */
const DRAIN_MS = 200;
const POLL_MS = 10;
/**
 * The maximum time, in milliseconds, to wait for the exit of a process whose connections have closed, because Node reports the exit later than the
 * closed connections.
 */
const NEWS_MS = 500;

/**
 * The signal after which a target writes its coverage, because `write-coverage.cjs` handles the signal in targets. Programs without a handler end
 * when they get it.
 */
const COVERAGE_SIGNAL = "SIGUSR2";

export interface TargetCommand {
  /** The shell command line of the target, with its placeholders replaced. */
  readonly line: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Texts that are hidden in the output. */
  readonly passwords?: readonly string[] | undefined;
  /** The configuration key that holds the command, for messages. Default: `target.command`. */
  readonly key?: string | undefined;
  readonly onOutput?: ((text: string) => void) | undefined;
}

export interface TargetExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
}

/** A running target. The target has its own process group, so that all processes that its shell starts can be ended together. */
export class TargetProcess {
  /** The id of the process of the program or of its shell, which is also the id of the process group. */
  readonly pid: number;
  /** Resolves when the process has ended and its output was read. */
  readonly ended: Promise<TargetExit>;
  readonly #exited: Promise<void>;
  readonly #child: ChildProcess;
  readonly #output: OutputTail;
  #stopping = false;
  /**
   * `true` if no process of the group exists any longer. seqqa then sends no signal to the group, because the operating system may have given its id
   * to another process.
   */
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

  /** Starts a command line in a shell. @throws SeqqaError `TARGET_SPAWN` if no shell can be started */
  static async start(command: TargetCommand): Promise<TargetProcess> {
    const child = spawn(directly(command.line), {
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
    throw new SeqqaError(
      "TARGET_SPAWN",
      `seqqa could not start ${command.key ?? "target.command"} in the folder ${command.cwd}: ${error.message}.`,
      {
        exitStatus: 2,
        hint: "Check that this folder exists, and that your user has permission to open the folder.",
        cause: error,
      },
    );
  }

  /**
   * Returns how the process ended by itself. If the process is still running, exit code and signal are `null`. Returns `undefined` if seqqa stopped
   * the process.
   */
  async fate(): Promise<TargetEnd | undefined> {
    await settledWithin(this.ended, NEWS_MS);
    if (this.#stopping) return undefined;
    const { exitCode, signalCode } = this.#child;
    return { exitCode, signal: signalCode, output: lastLines(this.#output.text) };
  }

  /** `true` if the process has ended by itself. */
  get hasExited(): boolean {
    return !this.#stopping && (this.#child.exitCode !== null || this.#child.signalCode !== null);
  }

  get output(): string {
    return this.#output.text;
  }

  /** Allows seqqa's own process to exit while the target is running. */
  unref(): void {
    this.#child.unref();
    for (const stream of [this.#child.stdout, this.#child.stderr]) (stream as Socket | null)?.unref();
  }

  /** Sends SIGTERM to the group, and SIGKILL after 2 s to processes that still run. */
  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.#over) return;
    if (!killGroup(this.pid, "SIGTERM") || (await this.#gone(TERM_GRACE_MS))) return;
    killGroup(this.pid, "SIGKILL");
    await this.#gone(KILL_GRACE_MS);
  }

  /**
   * Sends SIGKILL to the group and waits until none of its processes is running.
   * @param measured `true` to send {@link COVERAGE_SIGNAL} first. A Node target then writes its coverage and ends itself.
   */
  async end(measured: boolean = false): Promise<void> {
    this.#stopping = true;
    if (measured && !this.#over && killGroup(this.pid, COVERAGE_SIGNAL)) await this.#gone(TERM_GRACE_MS, 1);
    this.#over = !killGroup(this.pid, "SIGKILL") || (await this.#gone(KILL_GRACE_MS, 1));
  }

  /** Sends SIGKILL to the group without waiting. Used when seqqa's own process exits. */
  kill(): void {
    this.#stopping = true;
    if (this.#over) return;
    killGroup(this.pid, "SIGKILL");
  }

  /** Resolves to `true` as soon as no process of the group is running. Resolves to `false` if a process still runs after `withinMs` milliseconds. */
  async #gone(withinMs: number, pollMs = POLL_MS): Promise<boolean> {
    const until = performance.now() + withinMs;
    // Wait for the exit of the group's first process before checking the group, because the check reads all of /proc.
    await settledWithin(this.#exited, withinMs);
    for (;;) {
      if (!groupRuns(this.pid)) return true;
      if (performance.now() >= until) return false;
      await delay(pollMs);
    }
  }
}

/**
 * Matches one command in one line, with its arguments: no list, pipe, subshell, redirection or assignment, no command that only the shell itself may
 * have, and no `setsid`, which would leave a process that leads its group.
 */
const ONE_PROGRAM =
  /^\s*(?!(?:alias|builtin|cd|command|coproc|eval|exec|exit|export|hash|jobs|kill|read|return|set|setsid|shift|source|time|times|trap|type|ulimit|umask|unset|wait)\b)(?:\.{0,2}\/|\.?\w)[\w./@+-]*(?:[^\S\n][^;|&()<>\n`]*)?\s*$/;

/**
 * Returns a command line that makes the shell replace itself by the program, if the line is a single command. Some shells do so by themselves.
 * Otherwise, each target costs a second process, and at its end all of `/proc` has to be read until the parent of all processes has noticed the end.
 */
export function directly(line: string): string {
  return process.platform !== "win32" && ONE_PROGRAM.test(line) ? `exec ${line.trimStart()}` : line;
}

/** Waits until a promise settles, but not longer than `ms`. */
async function settledWithin(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
