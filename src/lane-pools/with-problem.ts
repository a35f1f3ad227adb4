import { joinedErrors, SeqqaError } from "../model/errors.ts";

/**
 * Closes a lane. If rows of its external stores were written and no action explains the write, passes an error about these rows to `later`. If
 * closing also fails, throws one error with both messages. `problemOf`: returns the error about the rows. Default of `later`: throws this error.
 * @throws the error of `close`
 */
export async function withProblem(
  problemOf: () => SeqqaError | undefined,
  close: () => Promise<void>,
  later: (problem: SeqqaError) => void = (problem) => {
    throw problem;
  },
): Promise<void> {
  try {
    await close();
  } catch (error) {
    const problem = problemOf();
    throw problem === undefined || !(error instanceof SeqqaError) ? error : joinedErrors(error, problem);
  }
  const problem = problemOf();
  if (problem !== undefined) later(problem);
}

/**
 * Collects errors about writes that no action explains, from lanes that were closed in order to rebuild them. A lane pool throws these errors when it
 * ends.
 */
export class LaterProblems {
  #problem: SeqqaError | undefined;

  /** Adds the error of a lane. Passed to `close` of a lane as `later`. */
  readonly add = (problem: SeqqaError): void => {
    this.#problem = joinedErrors(this.#problem, problem);
  };

  /** Closes the last lane, and throws the errors of all lanes. */
  closing(close: () => Promise<void>): Promise<void> {
    return withProblem(() => this.#problem, close);
  }
}
