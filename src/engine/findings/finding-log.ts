import type { ErrorEvent, FindingEvent, StepEvent, UnitRequest } from "../../messages/lane-messages.ts";

/** Violations of one invariant with the same last action and status: one finding. */
export interface FoundViolation {
  readonly key: string;
  readonly finding: FindingEvent;
  readonly lastAction: string;
  readonly status: number;
  count: number;
  /** The shortest path so far, the earliest of equals. */
  path: readonly number[];
  /** As {@link UnitRequest.draws}, for the steps of the path. */
  draws: UnitRequest["draws"];
  state: number | null;
  news: StepEvent | undefined;
  /** The states that its committed edges start from, in the order of commits; none for the root state. */
  readonly from: number[];
}

/** Errors of one code and source whose messages differ in more than ids and times: so many are told apart, and the others are counted with the last. */
const MESSAGES = 20;

export interface FoundError {
  error: ErrorEvent;
  readonly path: readonly number[];
  count: number;
}

/** What the committed steps brought to light, grouped, in the order of first commit. */
export class FindingLog {
  readonly violations: Map<string, FoundViolation> = new Map();
  readonly errors: Map<string, FoundError> = new Map();
  /** By code and source. */
  readonly #messages: Map<string, { count: number; last: FoundError | undefined }> = new Map();

  /** Returns the group when it is a new one. */
  addViolation(
    finding: FindingEvent,
    lastAction: string,
    status: number,
    path: readonly number[],
    state: number | null,
    news: StepEvent | undefined,
    draws?: UnitRequest["draws"],
    from?: number,
  ): FoundViolation | undefined {
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

const OTHERS = " (Counted with it: others of this source, with other messages.)";

/** A message without what is drawn anew each time: words of ids and times, which are long and have digits. Numbers that are short, such as statuses, stay. */
function patternOf(message: string): string {
  return message
    .slice(0, 1000)
    .replace(/[\w:.+-]{8,}/g, (word) => (/\d/.test(word) ? "#" : word))
    .slice(0, 200);
}
