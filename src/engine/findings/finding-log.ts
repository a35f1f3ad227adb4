import type { ErrorEvent, FindingEvent, SeenViolation, StepEvent, UnitRequest } from "../../messages/lane-messages.ts";

/** A group of violations of the same rule, after the same last action with the same status. */
export interface FoundViolation {
  readonly key: string;
  finding: FindingEvent;
  readonly lastAction: string;
  readonly status: number;
  count: number;
  /** The shortest path to a violation of the group so far. Among equally short paths, the path that was found first. */
  path: readonly number[];
  /** The paths from which the data of the steps is drawn, as in {@link UnitRequest.draws}. */
  draws: UnitRequest["draws"];
  state: number | null;
  stepEvents: StepEvent | undefined;
  /** The states in which the violating actions were executed, in the order of commits. Empty if the root state itself violates the rule. */
  readonly from: number[];
  /**
   * The violations of the group, divided by the fields that they changed; see {@link FindingEvent.fields}. Absent if all violations changed the same
   * fields.
   */
  parts?: readonly FoundViolation[];
}

/** A single violation, after a committed step or in the root state. */
export interface CommittedViolation extends Pick<
  FoundViolation,
  "finding" | "lastAction" | "status" | "path" | "draws" | "state" | "stepEvents"
> {
  /** The state in which the violating action was executed. Absent if the root state itself violates the rule. */
  readonly from?: number;
}

/**
 * Converts a violation that occurred during a cross-check to a violation without a committed step. The violation becomes a finding only if a replay
 * confirms it.
 */
export function seenViolation({ finding, status, path, draws }: SeenViolation, actions: readonly string[]): FoundViolation {
  const lastAction = actions[path.at(-1)!]!;
  const key = keyOf(finding, lastAction, status);
  return { key, finding, lastAction, status, count: 1, path, draws, state: null, stepEvents: undefined, from: [] };
}

/**
 * Returns a violation of an abandoned search without its states, because their numbers mean nothing in the next search. A replay must confirm the
 * violation.
 */
export function withoutGraph(found: FoundViolation): FoundViolation {
  const { parts } = found;
  return { ...found, state: null, stepEvents: undefined, from: [], ...(parts !== undefined && { parts: parts.map(withoutGraph) }) };
}

/** Returns the {@link FoundViolation.parts} of a group, or the group itself if it is not divided. */
export function partsOf(found: FoundViolation): readonly FoundViolation[] {
  return found.parts ?? [found];
}

/** Joins parts of a group into one group. Its path is the shortest path of the parts. */
export function groupOf(parts: readonly FoundViolation[]): FoundViolation {
  const shortest = parts.reduce((best, one) => (one.path.length < best.path.length ? one : best));
  const { parts: _parts, ...shown } = shortest;
  const count = parts.reduce((sum, one) => sum + one.count, 0);
  return { ...shown, count, from: parts.flatMap(({ from }) => from), ...(parts.length > 1 && { parts }) };
}

function keyOf({ invariant }: FindingEvent, lastAction: string, status: number): string {
  return JSON.stringify([invariant, lastAction, status]);
}

/**
 * Largest number of different error messages that are listed for one code and source. Messages that differ only in ids and times count as one
 * message. Further errors are counted with the message that was listed last.
 */
const MESSAGES = 20;

export interface FoundError {
  error: ErrorEvent;
  readonly path: readonly number[];
  count: number;
}

/** Collects the findings and errors of committed steps. Equal findings or errors form a group. The groups are in the order of their first commit. */
export class FindingLog {
  readonly violations: Map<string, FoundViolation> = new Map();
  readonly errors: Map<string, FoundError> = new Map();
  /** For each code and source: the number of listed messages, and the error that was listed last. */
  readonly #messages: Map<string, { count: number; last: FoundError | undefined }> = new Map();

  /** Adds a violation to its group. Returns the group if it is new, otherwise `undefined`. */
  addViolation(violation: CommittedViolation): FoundViolation | undefined {
    const key = keyOf(violation.finding, violation.lastAction, violation.status);
    const known = this.violations.get(key);
    if (known === undefined) {
      const found = newGroup(key, violation);
      this.violations.set(key, found);
      return found;
    }
    const fields = fieldsText(violation.finding);
    const part = partsOf(known).find(({ finding }) => fieldsText(finding) === fields);
    if (part !== known) {
      const earlier = known.parts ?? [{ ...known, from: [...known.from] }];
      if (part === undefined) known.parts = [...earlier, newGroup(key, violation)];
      else addTo(part, violation);
    }
    addTo(known, violation);
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

const fieldsText = ({ fields }: FindingEvent): string => JSON.stringify(fields?.toSorted());

function newGroup(key: string, { from, ...violation }: CommittedViolation): FoundViolation {
  return { ...violation, key, count: 1, from: from === undefined ? [] : [from] };
}

function addTo(group: FoundViolation, { finding, path, draws, state, stepEvents, from }: CommittedViolation): void {
  group.count++;
  if (from !== undefined) group.from.push(from);
  if (path.length < group.path.length) Object.assign(group, { finding, path, draws, state, stepEvents });
}

const OTHERS = " (The count includes further errors of the same action or rule with other messages.)";

/**
 * Returns a message with placeholders for ids and times, so that messages can be compared. Every word of at least 8 characters with a digit is
 * replaced. Short numbers, such as statuses, are kept.
 */
function patternOf(message: string): string {
  return message
    .slice(0, 1000)
    .replace(/[\w:.+-]{8,}/g, (word) => (/\d/.test(word) ? "#" : word))
    .slice(0, 200);
}
