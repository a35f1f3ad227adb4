import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { SeqqaError } from "../../model/errors.ts";
import { RUN_VARIABLE } from "../process/marked-processes.ts";
import { shellWord } from "../../model/text/shell-word.ts";
import { howItEnded, lastPrinted } from "../process/target-errors.ts";
import { TargetProcess, type TargetExit } from "../process/target-process.ts";

/** Time limits for docker, in milliseconds. */
export interface ComposeLimits {
  /** Time limit for starting all containers, including the download of container images. */
  readonly upMs: number;
  readonly downMs: number;
}

export const COMPOSE_LIMITS: ComposeLimits = { upMs: 600_000, downMs: 120_000 };

export interface ComposeContext {
  readonly file: string;
  readonly folder: string;
  readonly runId: string;
  readonly limits: ComposeLimits;
  readonly started: (process: TargetProcess) => void;
  readonly stopped: (process: TargetProcess) => void;
  readonly onOutput: (text: string) => void;
}

/** Returns the name of the docker compose project. The name contains the run's id, so that two runs never share a project. */
export function projectOf(runId: string): string {
  return `seqqa-${runId}`;
}

/**
 * Runs `docker compose up --wait`. After an error, the caller must remove the started containers with {@link composeDown}.
 *
 * @throws SeqqaError `COMPOSE_*`
 */
export async function composeUp(context: ComposeContext, signal: AbortSignal): Promise<void> {
  const { file, runId, limits } = context;
  if (!existsSync(file)) {
    throw new SeqqaError("COMPOSE_FILE", `compose_file names the file ${file}, which does not exist.`, {
      exitStatus: 2,
      hint: "Correct the path, which is relative to the folder of seqqa.yaml.",
    });
  }
  const outcome = await docker(["-p", projectOf(runId), "-f", file, "up", "--wait"], context, limits.upMs, signal);
  if (outcome.kind === "late") {
    throw new SeqqaError(
      "COMPOSE_NOT_READY",
      `docker compose up --wait for ${file} did not end within ${limits.upMs / 1000} s${lastPrinted(outcome.output)}`,
      { hint: "Run docker compose up --wait by hand to see where it hangs. Or start the containers before the run, and use --no-infra." },
    );
  }
  if (outcome.exit.code === 0) return;
  if (outcome.exit.code === 126 || outcome.exit.code === 127) throw noDocker(file);
  const hint = /is not a docker command|unknown (shorthand )?flag/.test(outcome.exit.output)
    ? "Install Docker's compose plugin (version 2). Or start the containers of the file by hand, and use --no-infra."
    : "Run docker compose up --wait by hand. Then docker compose logs shows the output of the containers.";
  throw new SeqqaError(
    "COMPOSE_FAILED",
    `docker compose up --wait for ${file} ${howItEnded(outcome.exit)}${lastPrinted(outcome.exit.output)}`,
    { hint },
  );
}

/** Removes the project's containers, networks and volumes. @throws SeqqaError `COMPOSE_LEFT` */
export async function composeDown(context: Omit<ComposeContext, "file">): Promise<void> {
  const args = downOf(context.runId);
  const outcome = await docker(args, context, context.limits.downMs, new AbortController().signal);
  if (outcome.kind === "ended" && outcome.exit.code === 0) return;
  const how =
    outcome.kind === "late"
      ? `did not end within ${context.limits.downMs / 1000} s${lastPrinted(outcome.output)}`
      : `${howItEnded(outcome.exit)}${lastPrinted(outcome.exit.output)}`;
  throw new SeqqaError("COMPOSE_LEFT", `The containers of compose_file may still be running, because docker compose down ${how}`, {
    hint: `Run \`docker compose ${args.join(" ")}\`. Both \`seqqa clean\` and the next run with compose_file also try to remove the containers.`,
  });
}

/** Removes the project's containers in a detached process, because seqqa's own process is exiting and cannot wait. */
export function composeDownAtOnce(runId: string): void {
  spawn("docker", ["compose", ...downOf(runId)], { detached: true, stdio: "ignore" })
    .on("error", () => {})
    .unref();
}

/** Returns the arguments of `docker compose down`. The project's name selects the containers, because the file may have changed or been deleted. */
function downOf(runId: string): readonly string[] {
  return ["-p", projectOf(runId), "down", "--volumes", "--remove-orphans"];
}

type Outcome = { readonly kind: "ended"; readonly exit: TargetExit } | { readonly kind: "late"; readonly output: string };

async function docker(
  args: readonly string[],
  context: Omit<ComposeContext, "file">,
  limitMs: number,
  signal: AbortSignal,
): Promise<Outcome> {
  signal.throwIfAborted();
  const { folder, runId, started, stopped, onOutput } = context;
  const docker = await TargetProcess.start({
    line: `docker compose ${args.map(shellWord).join(" ")}`,
    cwd: folder,
    env: { ...process.env, [RUN_VARIABLE]: runId },
    key: "docker compose",
    onOutput,
  });
  started(docker);
  const over = new AbortController();
  try {
    const late = delay(limitMs, undefined, { signal: AbortSignal.any([signal, over.signal]) }).catch(() => undefined);
    const exit = await Promise.race([docker.ended, late]);
    signal.throwIfAborted();
    return exit === undefined ? { kind: "late", output: docker.output } : { kind: "ended", exit };
  } finally {
    over.abort();
    await docker.stop();
    stopped(docker);
  }
}

function noDocker(file: string): SeqqaError {
  return new SeqqaError(
    "DOCKER_MISSING",
    `seqqa cannot start the containers of ${file} (compose_file), because the program docker was not found or cannot run.`,
    {
      exitStatus: 2,
      hint: "Install Docker with its compose plugin. Or start the containers of the file by hand, and use --no-infra.",
    },
  );
}
