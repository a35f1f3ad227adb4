import type { JournalEvent } from "../../src/engine/commit/commit-journal.ts";
import type { Explorer } from "../../src/engine/search/explorer.ts";
import type { Recorded } from "../../src/engine/commit/recommit.ts";

/** The data that an exploration writes to its run log, over all of its sessions. */
export class Recording {
  readonly batches: Int32Array[] = [];
  readonly stepEvents: JournalEvent[] = [];
  readonly checks: Set<string> = new Set();

  /** Adds the data that was committed since the last call, as a run log does. Returns the data that a resumed session reads. */
  add({ committer, divergences, replayed, crossChecked }: Explorer): Recorded {
    const { rows, stepEvents, checks } = committer.journal!.take();
    for (const one of stepEvents) rows[one.place] = this.stepEvents.push(one.stepEvents) - 1;
    this.batches.push(rows.slice());
    for (const { node, merge, edge } of checks) this.checks.add(`${node} ${merge} ${edge}`);
    const { visited } = committer;
    return {
      batches: this.batches.length,
      batch: (index) => this.batches[index]!,
      lo: Int32Array.from({ length: visited.size }, (_, node) => visited.lo(node)),
      hi: Int32Array.from({ length: visited.size }, (_, node) => visited.hi(node)),
      stepEvents: (id) => this.stepEvents[id]!,
      wasChecked: ({ node, merge, edge }) => this.checks.has(`${node} ${merge} ${edge}`),
      sentFor: () => [],
      digest: committer.digest.value(),
      divergences: divergences.all,
      replayed,
      crossChecked,
      characters: committer.details?.characters ?? 0,
    };
  }
}
