import type { ErrorEvent, FindingEvent, StepEvent, UnitRequest } from "../../messages/lane-messages.ts";

/** A finding: the violations of one rule with the same last action and status. */
export interface FoundViolation {
  readonly key: string;
  finding: FindingEvent;
  readonly lastAction: string;
  readonly status: number;
  count: number;
  /** The shortest path so far. Among equally short paths, the earliest. */
  path: readonly number[];
  /** The paths from which the data of the path's steps is drawn, like {@link UnitRequest.draws}. */
  draws: UnitRequest["draws"];
  state: number | null;
  news: StepEvent | undefined;
  /** The states at which the violating steps start, in the order of commits. Empty for the root state. */
  readonly from: number[];
}

/** A violation that a committed step, or the root state, showed. */
export interface CommittedViolation extends Pick<
  FoundViolation,
  "finding" | "lastAction" | "status" | "path" | "draws" | "state" | "news"
> {
  /** The state at which the step starts. Absent for the root state. */
  readonly from?: number;
}

/**
 * Largest number of messages per code and source that are reported separately. Messages that differ only in ids and times count as one. Further
 * errors are counted with the last message.
 */
const MESSAGES = 20;

export interface FoundError {
  error: ErrorEvent;
  readonly path: readonly number[];
  count: number;
}

/** Findings and errors of committed steps, grouped, in the order of first commit. */
export class FindingLog {
  readonly violations: Map<string, FoundViolation> = new Map();
  readonly errors: Map<string, FoundError> = new Map();
  /** Number of messages and the last reported error, by code and source. */
  readonly #messages: Map<string, { count: number; last: FoundError | undefined }> = new Map();

  /** Adds a violation to its group. Returns the group if the group is new. */
  addViolation({ finding, lastAction, status, path, state, news, draws, from }: CommittedViolation): FoundViolation | undefined {
    const key = JSON.stringify([finding.invariant, lastAction, status]);
    const known = this.violations.get(key);
    if (known === undefined) {
      const found: FoundViolation = {
        key,
        finding,
        lastAction,
        status,
        count: 1,
        path,
        draws,
        state,
        news,
        from: from === undefined ? [] : [from],
      };
      this.violations.set(key, found);
      return found;
    }
    known.count++;
    if (from !== undefined) known.from.push(from);
    if (path.length < known.path.length) {
      known.finding = finding;
      known.path = path;
      known.draws = draws;
      known.state = state;
      known.news = news;
    }
    return undefined;
  }

  addError(error: ErrorEvent, path: readonly number[]): void {
    const source = JSON.stringify([error.code, error.source]);
    const key = source + patternOf(error.message);
    const known = this.errors.get(key);
    if (known !== undefined) {
      known.count++;
      return;
    }
    const messages = this.#messages.get(source) ?? { count: 0, last: undefined };
    this.#messages.set(source, messages);
    if (messages.count++ < MESSAGES) {
      messages.last = { error, path, count: 1 };
      this.errors.set(key, messages.last);
      return;
    }
    const { last } = messages;
    if (messages.count === MESSAGES + 1) last!.error = { ...last!.error, message: `${last!.error.message}${OTHERS}` };
    last!.count++;
  }
}

const OTHERS = " (The count includes other errors from this source, with other messages.)";

/**
 * Replaces the generated parts of a message: words with digits of at least 8 characters, such as ids and times. Short numbers, such as statuses, are
 * kept.
 */
function patternOf(message: string): string {
  return message
    .slice(0, 1000)
    .replace(/[\w:.+-]{8,}/g, (word) => (/\d/.test(word) ? "#" : word))
    .slice(0, 200);
}
