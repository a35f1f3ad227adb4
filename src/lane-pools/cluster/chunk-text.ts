import {
  EXCHANGES,
  ROW,
  STATES,
  type Chunk,
  type Expansion,
  type LaneFailureKind,
  type CallEvent,
  type NamedStubUse,
  type TokenWait,
  type OccurrenceEvent,
  type SeenViolation,
  type UnitRequest,
} from "../../messages/lane-messages.ts";
import type { RecordedExchange } from "../../model/results/result.ts";
import { Severity } from "../../model/declare/severity.ts";
import {
  decodeChunk,
  decodeExpansion,
  encodeChunk,
  encodeExpansion,
  HEAD,
  type EncodedChunk,
  type EncodedExpansion,
} from "../threads/chunk-codec.ts";
import {
  count,
  flag,
  int32,
  integer,
  listOf,
  mapOf,
  members,
  nullable,
  number,
  oneOf,
  optional,
  parseAs,
  ShapeError,
  text,
  words,
  wordsText,
  type Shape,
} from "./shape.ts";

/** Maximum number of units in one chunk. Larger chunks are refused. */
const MOST_UNITS = 1 << 16;
const LONGEST_PATH = 1 << 16;
/** Largest accepted code of an answer (see `operationCode`), which is large enough for 100,000 operations. */
const MOST_CODES = 100_000_000;
const FAILURES = ["unreachable", "timeout", "dirty", "worker", "store"] as const satisfies readonly LaneFailureKind[];
const DIVERGENCES = ["replay", "cross_check", "merge", "late_write", "not_put_back", "lane", "root", "time_passed"] as const;

/** Encodes a chunk as text. The chunk's snapshots must be encoded already. */
export function chunkText(chunk: Chunk): string {
  const { words: numbers, rare, ...rest } = encodeChunk(chunk);
  return JSON.stringify({
    ...rest,
    words: wordsText(numbers),
    rare: rare.map(([index, { check, draws, suspect }]) => [
      index,
      { draws, suspect, check: check && { ...check, expected: check.expected && wordsText(check.expected) } },
    ]),
  });
}

/**
 * Parses a chunk from text. `actions`: the number of actions of the exploration. `snapshot`: converts the text of a snapshot to the form that the
 * lane pool takes.
 * @throws ShapeError if the text is malformed or contains an action that does not exist
 */
export function chunkOf(given: string, actions: number, snapshot?: (text: string) => unknown): Chunk {
  const path = listOf(integer(0, actions - 1), LONGEST_PATH);
  const rest = members<Pick<UnitRequest, "check" | "draws" | "suspect">>({
    check: optional(
      members<NonNullable<UnitRequest["check"]>>({
        expected: optional(words(actions * ROW)),
        along: optional(
          members<NonNullable<NonNullable<UnitRequest["check"]>["along"]>>({ path, draws: optional(listOf(path, LONGEST_PATH)) }),
        ),
        merge: flag,
        reduced: optional(flag),
        unlinked: optional(flag),
        followed: optional(
          members<NonNullable<NonNullable<UnitRequest["check"]>["followed"]>>({
            states: integer(0, Number.MAX_SAFE_INTEGER),
            deepest: integer(0, Number.MAX_SAFE_INTEGER),
          }),
        ),
        apart: optional(flag),
        edge: optional(integer(0, Number.MAX_SAFE_INTEGER)),
      }),
    ),
    draws: optional(listOf(path, LONGEST_PATH)),
    suspect: optional(oneOf(...FAILURES)),
  });
  const rare: Shape<EncodedChunk["rare"][number]> = (value, at) => {
    if (!Array.isArray(value) || value.length !== 2) throw new ShapeError(at, "a pair");
    return [integer(0, MOST_UNITS)(value[0], at), rest(value[1], at)];
  };
  const encoded = parseAs(
    given,
    members<EncodedChunk>({
      units: integer(1, MOST_UNITS),
      words: words(MOST_UNITS * HEAD * 64),
      snapshots: text(),
      rare: listOf(rare, MOST_UNITS),
      direct: flag,
      details: optional(integer(0, EXCHANGES | STATES)),
      occurred: optional(listOf(text())),
    }),
  );
  refuseTorn(encoded, actions);
  return decodeChunk(encoded, snapshot);
}

/** Checks that the lengths and indices in an encoded chunk are consistent. @throws ShapeError */
function refuseTorn({ units, words: numbers, snapshots }: EncodedChunk, actions: number): void {
  let at = 0;
  let taken = 0;
  for (let unit = 0; unit < units; unit++) {
    const [from, to, snapshot, length] = [numbers[at]!, numbers[at + 1]!, numbers[at + 5]!, numbers[at + 6]!];
    const end = at + HEAD + length;
    if (!(from >= 0 && from < to && to <= actions)) throw new ShapeError(`unit ${unit}`, "a range of actions");
    if (!(length >= 0 && end <= numbers.length && snapshot >= -1)) throw new ShapeError(`unit ${unit}`, "whole");
    for (let step = at + HEAD; step < end; step++)
      if (!(numbers[step]! >= 0 && numbers[step]! < actions)) throw new ShapeError(`unit ${unit}`, "a path of actions");
    taken += Math.max(snapshot, 0);
    at = end;
  }
  if (at !== numbers.length || taken !== snapshots.length) throw new ShapeError("", "a chunk of the announced length");
}

export function expansionText(expansion: Expansion): string {
  const { words: numbers, rows, ...rest } = encodeExpansion(expansion);
  return JSON.stringify({ ...rest, words: wordsText(numbers), rows: wordsText(rows) });
}

const headers = mapOf(text());
const request = members<RecordedExchange["request"]>({ method: text(), url: text(), headers, body: optional(text()) });
const response = members<NonNullable<RecordedExchange["response"]>>({ status: integer(0, 999), headers, body: text() });
const exchange = members<RecordedExchange>({
  request,
  response: optional(response),
  error: optional(text()),
  durationMs: number(0, Number.MAX_VALUE),
});
const targetEnd = members<NonNullable<NonNullable<Expansion["failure"]>["target"]>>({
  exitCode: nullable(int32),
  signal: nullable(text(20)),
  output: listOf(text(), 40),
});
const finding = members<Expansion["stepEvents"][number]["findings"][number]>({
  invariant: text(),
  severity: oneOf(...Object.values(Severity)),
  message: text(),
  cause: optional(text()),
  fields: optional(listOf(text(), 1000)),
  target: optional(targetEnd),
});
const problem = members<Expansion["stepEvents"][number]["errors"][number]>({
  code: text(200),
  message: text(),
  source: text(),
  stack: optional(text()),
  where: optional(text()),
});

const unjudged = members<NonNullable<Expansion["stepEvents"][number]["unjudged"]>[number]>({
  invariant: text(),
  what: text(),
  partly: optional(flag),
});

/**
 * Parses the answer to a chunk. `units`: the units of this chunk. Snapshots in the answer stay encoded. @throws ShapeError if the text is malformed
 * or does not match these units
 */
export function expansionOf(given: string, units: readonly UnitRequest[], actions: number): Expansion {
  const total = units.reduce((sum, { from, to }) => sum + to - from, 0);
  const unit = integer(0, units.length - 1);
  const action = integer(0, actions - 1);
  const path = listOf(action, LONGEST_PATH);
  const plain = members<EncodedExpansion["plain"]>({
    finished: integer(0, units.length),
    stepEvents: listOf(
      members<Expansion["stepEvents"][number]>({
        unit,
        action,
        findings: listOf(finding),
        errors: listOf(problem),
        unjudged: optional(listOf(unjudged)),
        spent: optional(listOf(text(), 1000)),
        exchanges: listOf(exchange),
      }),
      total,
    ),
    details: optional(
      listOf(
        members<NonNullable<Expansion["details"]>[number]>({
          unit,
          action,
          exchanges: listOf(exchange),
          // The text lines of the state. Absent for states that the worker knows to be committed.
          state: optional(listOf(text())),
        }),
        total,
      ),
    ),
    occurrences: optional(listOf(members<OccurrenceEvent>({ unit, action, names: listOf(text()) }), total)),
    calls: optional(listOf(members<CallEvent>({ unit, action, codes: listOf(integer(0, MOST_CODES), 1000) }), total)),
    divergences: listOf(
      members<Expansion["divergences"][number]>({
        kind: oneOf(...DIVERGENCES),
        path,
        message: text(),
        differences: listOf(text(), 1000),
        fields: optional(listOf(text(), 1000)),
        hint: optional(text()),
        calls: optional(path),
        reduced: optional(flag),
        unlinked: optional(flag),
        seconds: optional(flag),
        rowOrders: optional(listOf(text(), 1000)),
        seen: optional(
          listOf(members<SeenViolation>({ path, draws: optional(listOf(path, LONGEST_PATH)), status: integer(0, 999), finding }), 1000),
        ),
      }),
      total + units.length,
    ),
    replayed: count,
    checked: count,
    busyMs: number(0, Number.MAX_VALUE),
    failure: optional(
      members<NonNullable<Expansion["failure"]>>({
        kind: oneOf(...FAILURES),
        unit: integer(-1, units.length - 1),
        action: integer(0, actions),
        message: text(),
        check: optional(text()),
        differences: optional(listOf(text(), 1000)),
        target: optional(targetEnd),
      }),
    ),
    twoPackets: optional(flag),
    waited: optional(listOf(members<TokenWait>({ action: text(), ms: number(0, Number.MAX_VALUE) }), 10_000)),
    rejectedCookies: optional(listOf(text(1000), 1000)),
    stubs: optional(listOf(members<NamedStubUse>({ name: text(), wasCalled: flag, unmatched: listOf(text(), 100) }), 10_000)),
  });
  const encoded = parseAs(
    given,
    members<EncodedExpansion>({ plain, rows: words(total * ROW), words: words(total * 3), snapshots: text() }),
  );
  const { rows, words: numbers, snapshots } = encoded;
  if (rows.length % ROW !== 0 || rows.length < leastRows(units, encoded.plain))
    throw new ShapeError("rows", "the rows of the requested units");
  let taken = 0;
  for (let at = 0; at < numbers.length; at += 3) {
    unit(numbers[at], "snapshots");
    action(numbers[at + 1], "snapshots");
    taken += count(numbers[at + 2], "snapshots");
  }
  if (numbers.length % 3 !== 0 || taken !== snapshots.length) throw new ShapeError("snapshots", "of the announced length");
  // `JSON.stringify` leaves out members that are `undefined`, so add the member `failure` again.
  return { ...decodeExpansion(encoded), failure: encoded.plain.failure };
}

/** Returns the smallest possible number of int32 values in the rows of the finished units. A cross-check sends no rows. */
function leastRows(units: readonly UnitRequest[], { finished }: Pick<Expansion, "finished">): number {
  return units.slice(0, finished).reduce((sum, { from, to, check }) => sum + (check === undefined ? to - from : 0), 0) * ROW;
}
