import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const STOP_MS = 2000;

/**
 * The shell script that starts the server as its child. The script kills the server when the pipe from this process closes. The pipe also closes if
 * this process crashes. The script can safely use the server's pid, because the system does not reuse the pid of a child before the parent has waited
 * for the child.
 */
const GUARD = `exec 3<&0
"$0" "$@" </dev/null 3<&- & server=$!
{ read -r _ <&3; kill -9 "$server"; } 2>/dev/null & watcher=$!
exec 3<&-
wait "$server"; status=$?
kill "$watcher" 2>/dev/null
exit "$status"`;

export function installedProgram(...names: readonly string[]): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin"];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

/** A database server that seqqa started for a lane. The server ends when this process ends. */
export class GuardedProcess {
  readonly #child: ChildProcess;
  #hasEnded = false;

  /** Starts a program. The environment variable SEQQA_RUN of the program contains the id of the run. */
  constructor(program: string, args: readonly string[], runId: string) {
    const child = spawn("/bin/sh", ["-c", GUARD, program, ...args], {
      stdio: ["pipe", "ignore", "ignore"],
      // The server gets its own process group, so that Ctrl-C in the terminal reaches only seqqa. seqqa then stops the server.
      detached: true,
      env: { ...process.env, SEQQA_RUN: runId },
    });
    child.once("exit", () => (this.#hasEnded = true));
    child.once("error", () => (this.#hasEnded = true));
    child.stdin?.on("error", () => undefined);
    child.unref();
    (child.stdin as unknown as { unref?: () => void } | null)?.unref?.();
    this.#child = child;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    const gone = new Promise((done) => child.once("exit", done));
    child.ref();
    child.stdin?.destroy();
    await Promise.race([gone, pause(STOP_MS)]);
    if (child.exitCode === null && child.signalCode === null) killGroup(child.pid);
    await gone;
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Ignore the error: the process has already ended.
  }
}
