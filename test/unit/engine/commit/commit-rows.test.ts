import { expect, it } from "vitest";
import { commitRows, laneRow, LONGEST, writeCommit } from "../../../../src/engine/commit/commit-rows.ts";
import { BOUNDED, UNLINKED, CHECK_SHIFT, FAILED, FINDING, NEWS, ROW, SKIPPED } from "../../../../src/messages/lane-messages.ts";

it("gives back every row as a lane sent it, the other hash of its state included", () => {
  const rows = [
    [UNLINKED | (0xffff << CHECK_SHIFT), 200, 11, 12, -5, 7],
    [SKIPPED, 0, 0, 0, 0, 0],
    [UNLINKED | BOUNDED | (0x8001 << CHECK_SHIFT), 599, 21, 22, 0, 0],
    [FINDING | NEWS, 404, 11, 12, 3, 0],
    [FAILED, 0, 0, 0, 0, 0],
  ].map((row) => Int32Array.from(row));
  const batch = new Int32Array(rows.length * LONGEST);
  let size = 0;
  rows.forEach((row, action) => {
    size = writeCommit(
      batch,
      size,
      { from: 4, action, to: row[2] === 0 ? -1 : 9, rows: row, at: 0 },
      action === 3 ? 17 : -1,
      action === 0 ? -1 : 4,
    );
  });
  const read = [...commitRows(batch.subarray(0, size))].length;
  expect(read).toBe(rows.length);
  let action = 0;
  for (const row of commitRows(batch.subarray(0, size))) {
    const sent = rows[action]!;
    expect([row.from, row.action, row.stepEvents]).toEqual([4, action, action === 3 ? 17 : -1]);
    expect([...laneRow(row, sent[2]!, sent[3]!)]).toEqual([...sent]);
    expect(laneRow(row, 0, 0)).toHaveLength(ROW);
    action++;
  }
});
