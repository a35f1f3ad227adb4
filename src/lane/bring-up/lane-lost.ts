import type { LaneFailureKind } from "../../messages/lane-messages.ts";

/** Thrown inside a lane when it cannot vouch for its world any more. */
export class LaneLost extends Error {
  readonly kind: LaneFailureKind;
  readonly differences: readonly string[];
  /** The check whose request got no answer, where that is why. */
  readonly check: string | undefined;

  constructor(kind: LaneFailureKind, message: string, differences: readonly string[] = [], check?: string) {
    super(message);
    this.kind = kind;
    this.differences = differences;
    this.check = check;
  }
}

/** A path that is executed again does not go on: an action does not apply there, or fails. The lane itself is unharmed. */
export class PathBroken extends LaneLost {}

/** The state reached is not the one on record. */
export class OtherState extends LaneLost {}
