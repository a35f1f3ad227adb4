import type { Explorer } from "../../engine/search/explorer.ts";
import { operationOfCode } from "../../messages/lane-messages.ts";
import { joinedOperations, operationCovered, type OperationCoverage } from "../../model/results/coverage.ts";
import type { IndexedOperation } from "../../openapi/conformance/operation-index.ts";

/** An operation of the OpenAPI description, with its described statuses. The method is in upper case. */
export interface CountedOperation extends IndexedOperation {
  readonly described: readonly string[];
}

/** The part of an {@link Explorer} that knows which operations answered. */
export type Called = Pick<Explorer, "calls" | "earlier">;

/**
 * Returns the coverage of all operations of a description.
 * @returns `undefined` without a description, or if an earlier session of the run counted no operations
 */
export function operationCoverage(
  operations: readonly CountedOperation[] | undefined,
  { calls, earlier }: Called,
): readonly OperationCoverage[] | undefined {
  if (operations === undefined || (earlier !== undefined && earlier.operations === undefined)) return undefined;
  const seen: readonly number[][] = operations.map(() => []);
  for (const code of calls) {
    const { operation, status } = operationOfCode(code);
    seen[operation]?.push(status);
  }
  const own = operations.map((operation, number) => operationCovered(operation, seen[number]!));
  const known = new Set(own.map(({ method, path }) => `${method} ${path}`));
  const before = earlier?.operations?.filter(({ method, path }) => known.has(`${method} ${path}`)) ?? [];
  return joinedOperations([own, before]);
}
