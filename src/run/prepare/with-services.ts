import type { Config } from "../../config/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import { ServiceHost } from "../../targets/index.ts";

export interface ServicesOptions {
  /** Aborting it while services are still being started means that the work is not begun. */
  readonly signal: AbortSignal;
  /** Told of each service that ends during the work, and of containers that cannot be taken down after it. */
  readonly onProblem: (error: SeqqaError) => void;
}

/**
 * Does the work of a run while its services and the containers of `compose_file` are up. They belong to the whole run, however many
 * explorations and journeys it has. `undefined`: interrupted before the work began. @throws SeqqaError when something does not come up
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
  return error instanceof SeqqaError ? error : new SeqqaError("SERVICES_LEFT", `The services could not be ended: ${String(error)}`);
}
