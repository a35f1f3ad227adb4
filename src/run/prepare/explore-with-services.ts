import type { Config } from "../../config/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { ExplorationResult, RunError } from "../../model/results/result.ts";
import { resultJson } from "../../reports/index.ts";
import { withRunDirectory } from "./run-directory.ts";
import { withServices } from "./with-services.ts";

/**
 * Starts the configured services, runs one exploration, and stops the services. If a service fails, its error is added to the result. If the
 * exploration throws, the service's error is added to the thrown error, because it may be the cause.
 * @param work Receives a directory for bundles.
 * @throws SeqqaError, or the reason of the abort if the signal is aborted before the work starts
 */
export async function exploreWithServices(
  config: Config,
  given: AbortSignal | undefined,
  work: (directory: string) => Promise<ExplorationResult>,
): Promise<ExplorationResult> {
  const signal = given ?? new AbortController().signal;
  const problems: SeqqaError[] = [];
  let result: ExplorationResult | undefined;
  try {
    result = await withServices(config, { signal, onProblem: (error) => problems.push(error) }, () => withRunDirectory(work));
  } catch (error) {
    throw problems.length === 0 ? error : withProblems(error, problems);
  }
  if (result === undefined) throw signal.reason;
  return withProblemsOf(result, problems);
}

/** Returns the result with the given problems added to its errors. */
export function withProblemsOf(result: ExplorationResult, problems: readonly SeqqaError[]): ExplorationResult {
  if (problems.length === 0) return result;
  const more = { ...result, errors: [...problems.map(runError), ...result.errors] };
  return { ...more, toJSON: () => resultJson(more) };
}

function withProblems(error: unknown, problems: readonly SeqqaError[]): SeqqaError {
  const { code = "INTERNAL", exitStatus = 3 } = error as Partial<SeqqaError>;
  const message = error instanceof Error ? error.message : String(error);
  const hint = problems.map((problem) => `Before this error: ${problem.message}`).join("\n");
  return new SeqqaError(code, message, { exitStatus, hint, cause: error });
}

function runError({ code, message, hint, stack }: SeqqaError): RunError {
  return { code, message: hint === undefined ? message : `${message} ${hint}`, path: [], source: "run", stack, count: 1 };
}
