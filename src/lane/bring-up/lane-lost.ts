import type { LaneFailureKind } from "../../messages/lane-messages.ts";

/** Thrown inside a lane when the state of its world is no longer certain. */
export class LaneLost extends Error {
  readonly kind: LaneFailureKind;
  readonly differences: readonly string[];
  /** The check whose request got no answer, if that is the reason. */
  readonly check: string | undefined;

  constructor(kind: LaneFailureKind, message: string, differences: readonly string[] = [], check?: string) {
    super(message);
    this.kind = kind;
    this.differences = differences;
    this.check = check;
  }
}

/** Thrown if a path cannot be repeated, because an action no longer applies or fails. The lane itself is unharmed. */
export class PathBroken extends LaneLost {}

/** Thrown if the reached state differs from the recorded one. */
export class OtherState extends LaneLost {}
