import type { FlagValue } from "../../config/index.ts";
import { configFor } from "../arguments/config-for.ts";
import { errorText } from "../process/error-text.ts";
import { statusOfError, type ExitStatus } from "../../run/session/exit-status.ts";
import { interruptible } from "../process/interruptible.ts";
import type { Machinery } from "../run/machinery.ts";
import { namedDirectory } from "../arguments/named-directory.ts";
import { takeSecret } from "../arguments/cluster-secret.ts";
import type { Shell } from "../process/shell.ts";

export interface WorkerOptions {
  readonly redis: string;
  readonly parallel?: string;
  readonly baseUrl?: string;
  readonly infra?: boolean;
  readonly verbose?: boolean;
  readonly config?: string;
  readonly allowDb?: readonly string[];
}

/** Runs `seqqa worker`: offers lanes to a distributed run that another process coordinates. */
export async function workerCommand(
  named: string | undefined,
  options: WorkerOptions,
  shell: Shell,
  machinery: Machinery,
  version: string,
): Promise<ExitStatus> {
  const secret = takeSecret("seqqa worker", shell);
  const directory = namedDirectory(named, shell, "Give the directory that contains the explorations of the run.");
  const config = configFor(shell, {
    directory: named ?? ".",
    file: options.config,
    flags: flagsOf(options),
    noInfra: options.infra === false,
    allowedStores: options.allowDb,
  });
  const onNote = (message: string): void => void shell.stderr.write(`${message}\n`);
  return await interruptible(shell, { message: onNote }, async (signal) => {
    let status: ExitStatus = 0;
    const fail = (error: unknown): void => {
      if (signal.aborted && (error as Error | undefined)?.name === "AbortError") return;
      shell.stderr.write(`${errorText(error, options.verbose === true)}\n`);
      if (status === 0) status = statusOfError(error);
    };
    await machinery
      .withServices(config, { signal, onProblem: fail }, () =>
        machinery.work({
          config,
          directory: directory ?? config.folder,
          url: options.redis,
          secret,
          version,
          onNote,
          signal,
        }),
      )
      .catch(fail);
    return signal.aborted ? 130 : status;
  });
}

function flagsOf({ parallel, baseUrl }: WorkerOptions): readonly FlagValue[] {
  return [
    ...(parallel === undefined ? [] : [{ key: "parallel", flag: "--parallel", value: parallel }]),
    ...(baseUrl === undefined ? [] : [{ key: "base_url", flag: "--base-url", value: baseUrl }]),
  ];
}
