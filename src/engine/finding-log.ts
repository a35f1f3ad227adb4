import type { ErrorNews, FindingNews, News, UnitRequest } from "./messages.ts";

/** Violations of one invariant with the same last action and status: one finding. */
export interface FoundViolation {
  readonly key: string;
  readonly finding: FindingNews;
  readonly lastAction: string;
  readonly status: number;
  count: number;
  /** The shortest path so far, the earliest of equals. */
  path: readonly number[];
  /** As {@link UnitRequest.draws}, for the steps of the path. */
  draws: UnitRequest["draws"];
  state: number | null;
  news: News | undefined;
  /** The states that its committed edges start from, in the order of commits; none for the root state. */
  readonly from: number[];
}

export interface FoundError {
  readonly error: ErrorNews;
  readonly path: readonly number[];
  count: number;
}

/** What the committed steps brought to light, grouped, in the order of first commit. */
export class FindingLog {
  readonly violations: Map<string, FoundViolation> = new Map();
  readonly errors: Map<string, FoundError> = new Map();

  /** Returns the group when it is a new one. */
  addViolation(
    finding: FindingNews,
    lastAction: string,
    status: number,
    path: readonly number[],
    state: number | null,
    news: News | undefined,
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

  addError(error: ErrorNews, path: readonly number[]): void {
    const key = JSON.stringify([error.code, error.source, error.message.slice(0, 200)]);
    const known = this.errors.get(key);
    if (known === undefined) this.errors.set(key, { error, path, count: 1 });
    else known.count++;
  }
}
