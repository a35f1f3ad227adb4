import { describe, expect, it } from "vitest";
import { chunkOf, chunkText, expansionOf, expansionText } from "../../../../src/lane-pools/cluster/chunk-text.ts";
import { ShapeError } from "../../../../src/lane-pools/cluster/shape.ts";
import { encodeSnapshot } from "../../../../src/lane-pools/threads/snapshot-codec.ts";
import { operationCode, ROW, type Chunk, type Expansion } from "../../../../src/messages/lane-messages.ts";

const ACTIONS = 4;
const snapshot = {
  systems: [{ rows: ["ü", 1] }],
  context: { entries: new Map([["a", 1]]), objects: 0, node: undefined },
  clients: [],
  setBy: [],
};

const chunk: Chunk = {
  direct: true,
  details: 3,
  occurred: ["token"],
  units: [
    { path: [], from: 0, to: 4, lo: 1, hi: -2, uncertain: false, snapshot: encodeSnapshot(snapshot) },
    {
      path: [3, 0, 2],
      from: 1,
      to: 2,
      lo: 2 ** 31 - 1,
      hi: -(2 ** 31),
      uncertain: true,
      snapshot: undefined,
      suspect: "timeout",
      draws: [[0], [0, 1]],
    },
    {
      path: [1],
      from: 0,
      to: 4,
      lo: 5,
      hi: 6,
      uncertain: false,
      snapshot: undefined,
      check: { expected: new Int32Array(ACTIONS * ROW).fill(7), merge: true, reduced: true, unlinked: true },
    },
  ],
};

describe("a chunk as text", () => {
  it("comes back, its images as texts or as states", () => {
    expect(chunkOf(chunkText(chunk), ACTIONS, (text) => text)).toEqual(chunk);
    expect(chunkOf(chunkText(chunk), ACTIONS).units[0]!.snapshot).toEqual(snapshot);
    expect(chunkOf(chunkText({ units: [chunk.units[1]!], direct: false }), ACTIONS)).toEqual({ units: [chunk.units[1]], direct: false });
  });

  it.each<[string, (value: Record<string, unknown>) => unknown]>([
    ["no units", (value) => (value["units"] = 0)],
    ["more units than words", (value) => (value["units"] = 4)],
    ["fewer units than words", (value) => (value["units"] = 2)],
    ["snapshots cut off", (value) => (value["snapshots"] = "J")],
    ["words cut off", (value) => (value["words"] = (value["words"] as string).slice(0, 8))],
    ["another kind of suspect", (value) => (value["rare"] = [[1, { suspect: "me" }]])],
    ["details that are none", (value) => (value["details"] = 4)],
    ["code", (value) => (value["direct"] = "process.exit()")],
    ["a rare unit that is no pair", (value) => (value["rare"] = [[1]])],
    [
      "expected rows that are longer than the actions",
      (value) => (value["rare"] = [[1, { check: { merge: true, expected: "AAAA".repeat(1000) } }]]),
    ],
  ])("is refused with %s", (_what, spoil) => {
    const value = JSON.parse(chunkText(chunk)) as Record<string, unknown>;
    spoil(value);
    expect(() => chunkOf(JSON.stringify(value), ACTIONS, (text) => text)).toThrow(ShapeError);
  });

  it.each([
    ["a path through actions that are not there", { path: [4] }],
    ["a path before all actions", { path: [-1] }],
    ["a range beyond the actions", { to: 5 }],
    ["an empty range", { from: 2, to: 2 }],
  ])("is refused with %s", (_what, more) => {
    expect(() => chunkOf(chunkText({ units: [{ ...chunk.units[0]!, ...more }], direct: true }), ACTIONS, (text) => text)).toThrow(
      ShapeError,
    );
  });
});

const units = chunk.units.slice(0, 2);
const exchange = {
  request: { method: "GET", url: "http://127.0.0.1:1/x", headers: { constructor: "x" }, body: "a\u2028b" },
  response: { status: 200, headers: {}, body: "{}" },
  durationMs: 1.5,
};
const expansion: Expansion = {
  finished: 2,
  rows: Int32Array.from({ length: 5 * ROW }, (_, i) => i - 3),
  stepEvents: [
    {
      unit: 1,
      action: 1,
      findings: [
        { invariant: "i", severity: "high", message: "m" },
        { invariant: "i", severity: "low", message: "m", cause: "c" },
      ],
      errors: [],
      unjudged: [{ invariant: "i", what: "w" }],
      exchanges: [exchange],
    },
  ],
  snapshots: [{ unit: 0, action: 2, snapshot: encodeSnapshot(snapshot) }],
  details: [{ unit: 0, action: 0, exchanges: [exchange], state: ["a"] }],
  divergences: [{ kind: "merge", path: [0, 1], message: "merged", differences: ["- a"], reduced: true, unlinked: true }],
  replayed: 1,
  checked: 0,
  busyMs: 12.25,
  failure: undefined,
};

describe("an answer as text", () => {
  it("comes back, its images as they are", () => {
    expect(expansionOf(expansionText(expansion), units, ACTIONS)).toEqual(expansion);
    const failure = {
      kind: "unreachable",
      unit: 1,
      action: 1,
      message: "gone",
      target: { exitCode: 1, signal: null, output: ["x"] },
    } as const;
    const lost: Expansion = {
      ...expansion,
      finished: 1,
      rows: expansion.rows.subarray(0, 4 * ROW),
      stepEvents: [],
      details: undefined,
      failure,
    };
    expect(expansionOf(expansionText(lost), units, ACTIONS)).toEqual(lost);
    const noted: Expansion = {
      ...expansion,
      twoPackets: true,
      rejectedCookies: ['The cookie "sid" was not kept.'],
      occurrences: [{ unit: 1, action: 1, names: ["token"] }],
      calls: [{ unit: 0, action: 1, codes: [operationCode(3, 404)] }],
    };
    expect(expansionOf(expansionText(noted), units, ACTIONS)).toEqual(noted);
  });

  it.each<[string, Partial<Expansion>]>([
    ["more finished than asked", { finished: 3 }],
    ["occurrences of another unit", { occurrences: [{ unit: 2, action: 0, names: [] }] }],
    ["calls of another unit", { calls: [{ unit: 2, action: 0, codes: [] }] }],
    ["calls of no operation", { calls: [{ unit: 0, action: 0, codes: [-1] }] }],
    ["too few rows", { rows: new Int32Array(4 * ROW) }],
    ["too many rows", { rows: new Int32Array(6 * ROW) }],
    ["half a row", { rows: new Int32Array(5 * ROW + 1) }],
    ["news of another unit", { stepEvents: [{ ...expansion.stepEvents[0]!, unit: 2 }] }],
    ["news of an action that is not there", { stepEvents: [{ ...expansion.stepEvents[0]!, action: 4 }] }],
    ["an image of another unit", { snapshots: [{ unit: -1, action: 0, snapshot: "J" }] }],
    [
      "a severity that is none",
      { stepEvents: [{ ...expansion.stepEvents[0]!, findings: [{ invariant: "i", severity: "worst" as never, message: "m" }] }] },
    ],
    ["a divergence of a kind that is none", { divergences: [{ kind: "__proto__" as never, path: [], message: "", differences: [] }] }],
    ["a failure elsewhere", { failure: { kind: "dirty", unit: 2, action: 0, message: "" } }],
    ["time that runs backwards", { busyMs: -1 }],
  ])("is refused with %s", (_what, more) => {
    expect(() => expansionOf(expansionText({ ...expansion, ...more }), units, ACTIONS)).toThrow(ShapeError);
  });
});
