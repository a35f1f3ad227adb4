/** Thrown for a run log whose content seqqa cannot have written. The message says what is wrong, and becomes part of the error `RUN_UNREADABLE`. */
export class DamagedRun extends Error {
  override readonly name: string = "DamagedRun";
}

/** Thrown for stored outcomes that can be read, but that do not belong to the exploration. */
export class ForeignCommits extends DamagedRun {
  override readonly name = "ForeignCommits";
}
