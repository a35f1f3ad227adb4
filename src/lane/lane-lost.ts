import type { LaneFailureKind } from "../engine/messages.ts";

/** Thrown inside a lane when it cannot vouch for its world any more. */
export class LaneLost extends Error {
  readonly kind: LaneFailureKind;
  readonly differences: readonly string[];

  constructor(kind: LaneFailureKind, message: string, differences: readonly string[] = []) {
    super(message);
    this.kind = kind;
    this.differences = differences;
  }
}
