import { expect, it } from "vitest";
import type { Committer } from "../../../../src/engine/commit/committer.ts";
import { firstWrites, lateWalks } from "../../../../src/engine/search/late-walks.ts";
import { KIND, WROTE } from "../../../../src/messages/lane-messages.ts";
import { committerAt, rowsOf } from "../rows.ts";

/** A chain of states: `add` leads from each to the next one, `list` stays. `add` writes, with the given status; `refuse` is answered 409. */
function chain(length: number, status = 200): Committer {
  const committer = committerAt(["list", "add", "refuse"]);
  for (let node = 0; node < length; node++) {
    committer.commit(node, 0, { rows: rowsOf([{ to: node }]), at: 0 });
    const rows = rowsOf([{ to: node + 1, status }]);
    rows[KIND]! |= WROTE;
    committer.commit(node, 1, { rows, at: 0 });
    committer.commit(node, 2, { rows: rowsOf([{ to: node, status: 409 }]), at: 0 });
  }
  return committer;
}

it("watches the last and the first writes of an action, and none twice", () => {
  const walks = (length: number): readonly number[] => lateWalks(chain(length)).map(({ from }) => from);
  // The last one's path leads over all others.
  expect(walks(3)).toEqual([2]);
  expect(lateWalks(chain(3))).toEqual([{ from: 2, action: 1, to: 3 }]);
  expect(walks(0)).toEqual([]);
  // A path of more than 40 steps takes too long.
  expect(walks(60)).toEqual([39]);
});

it("watches the first write of each action for longer", () => {
  expect(firstWrites(chain(3))).toEqual([{ from: 0, action: 1, to: 1 }]);
  expect(firstWrites(chain(0))).toEqual([]);
  // Web pages answer a form with a redirect.
  expect(firstWrites(chain(3, 303))).toEqual([{ from: 0, action: 1, to: 1 }]);
});
