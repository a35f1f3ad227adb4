/** Thrown for a run log whose content is not one that seqqa writes. The message says what is wrong, and becomes part of `RUN_UNREADABLE`. */
export class DamagedRun extends Error {
  override readonly name: string = "DamagedRun";
}

/** Thrown for commits that can be read, but that do not belong to the exploration. */
export class ForeignCommits extends DamagedRun {
  override readonly name = "ForeignCommits";
}
