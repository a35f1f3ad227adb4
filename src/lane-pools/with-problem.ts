import { joinedErrors, SeqqaError } from "../model/errors.ts";

/**
 * Closes a lane, and calls `later` if rows of its external stores were written that no action explains. If closing also fails, the error contains
 * both messages. `problemOf`: returns the error for such rows. Default of `later`: throws this error. @throws the error of `close`
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

/** The errors for writes that no action explains, of lanes that were closed because they are built again. A lane pool throws them when it ends. */
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
