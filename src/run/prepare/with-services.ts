import type { Config } from "../../config/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import { ServiceHost } from "../../targets/index.ts";

export interface ServicesOptions {
  /** If the signal is aborted while services are starting, the work is not started. */
  readonly signal: AbortSignal;
  /** Called for each service that ends during the work, and for containers that cannot be removed afterwards. */
  readonly onProblem: (error: SeqqaError) => void;
}

/**
 * Runs `work` while the services and the containers of `compose_file` are up. All explorations and journeys of the run share these services.
 * @returns `undefined` if interrupted before the work started
 * @throws SeqqaError if a service or container does not start
 */
export async function withServices<T>(config: Config, options: ServicesOptions, work: () => Promise<T>): Promise<T | undefined> {
  if (config.services.length === 0 && config.composeFile === undefined) return work();
  const { signal, onProblem } = options;
  let host: ServiceHost;
  try {
    host = await ServiceHost.start(config, { signal, onLost: onProblem });
  } catch (error) {
    if (signal.aborted && !(error instanceof SeqqaError)) return undefined;
    throw error;
  }
  try {
    return await work();
  } finally {
    await host.close().catch((error: unknown) => onProblem(asKnown(error)));
  }
}

function asKnown(error: unknown): SeqqaError {
  return error instanceof SeqqaError
    ? error
    : new SeqqaError("SERVICES_LEFT", `seqqa could not stop the services of the configuration, which may still run: ${String(error)}`, {
        hint: "List the running processes with ps, and end the processes of the services by hand.",
      });
}
