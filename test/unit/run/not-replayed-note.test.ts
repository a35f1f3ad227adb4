import { expect, it } from "vitest";
import type { ConfirmedViolation } from "../../../src/engine/findings/confirm.ts";
import { flakyNote, notReplayedNote } from "../../../src/run/explore/shrinking.ts";

const left = (parts: Partial<ConfirmedViolation>): ConfirmedViolation =>
  ({
    recording: undefined,
    confirmed: false,
    found: { finding: { invariant: "rule" }, lastAction: "act" },
    ...parts,
  }) as unknown as ConfirmedViolation;

it("a note about findings that no target was there for says why the last start failed", () => {
  const text = "before seqqa had replayed every finding from a clean start, so 1 of 1 findings is not confirmed.";
  expect(notReplayedNote([left({ notReplayed: "no_target", startFailed: "The port is taken. Use another." })])).toBe(
    `seqqa could not start a target ${text} The last start failed: The port is taken. Use another.`,
  );
  expect(notReplayedNote([left({ notReplayed: "interrupted" })])).toBe(`The run was interrupted ${text}`);
});

it("a note about findings that a replay did not show names counters that no checkpoint restores", () => {
  const counters = { tables: "db.receipts", hint: "Set `checkpoint: copy`.", startAgain: true };
  const replayed = left({ recording: {} as never });
  expect(flakyNote([replayed, left({ confirmed: true, recording: {} as never })], { counters })).toBe(
    "1 finding did not occur again from a clean start, where counters begin as in the initial state. Set `checkpoint: copy`.",
  );
  expect(flakyNote([replayed], { counters: undefined })).toBe(undefined);
  expect(flakyNote([left({})], { counters })).toBe(undefined);
});
