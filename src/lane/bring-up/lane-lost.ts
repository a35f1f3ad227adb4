import type { LaneFailureKind } from "../../messages/lane-messages.ts";

/** Thrown in a lane if it is uncertain in which state the lane's world is. The lane must be rebuilt. */
export class LaneLost extends Error {
  readonly kind: LaneFailureKind;
  readonly differences: readonly string[];
  /** Name of the check whose request got no answer. `undefined` if the lane was lost for another reason. */
  readonly check: string | undefined;

  constructor(kind: LaneFailureKind, message: string, differences: readonly string[] = [], check?: string) {
    super(message);
    this.kind = kind;
    this.differences = differences;
    this.check = check;
  }
}

/** Thrown if a path cannot be executed again, because one of its actions does not apply or fails. The lane itself can still be used. */
export class PathBroken extends LaneLost {}

/** Thrown if executing a path again led to a state that differs from the recorded state. */
export class OtherState extends LaneLost {}
