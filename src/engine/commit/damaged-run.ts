/** Thrown for a run log whose content is not one that seqqa writes. The message says what is wrong, and becomes part of `RUN_UNREADABLE`. */
export class DamagedRun extends RangeError {
  override readonly name = "DamagedRun";
}
