import type { Config } from "../../config/index.ts";
import type { CountedOperation } from "../results/operation-coverage.ts";

/** The operations that an exploration counts, and the servers that provide these operations. */
export interface CountedDescription {
  readonly servers: readonly string[];
  readonly operations: readonly CountedOperation[];
}

/**
 * Reads the OpenAPI description of `coverage.openapi`.
 * @returns `undefined` if the configuration names no description
 * @throws SeqqaError `DESCRIPTION_*` with exit status 2
 */
export async function readOperations({ coverage, folder }: Config): Promise<CountedDescription | undefined> {
  if (coverage?.openapi === undefined) return undefined;
  const { readDescription } = await import("../../openapi/index.ts");
  const { servers, operations } = await readDescription(coverage.openapi, { cwd: folder, allowRefs: false });
  return {
    servers,
    operations: operations.map(({ method, path, servers: own, responses }) => ({
      method: method.toUpperCase(),
      path,
      ...(own !== undefined && { servers: own }),
      described: responses.map(({ status }) => status).toSorted(),
    })),
  };
}
