import { describe, expect, it } from "vitest";
import { SeqqaError } from "../../../src/model/errors.ts";
import { notOpen } from "../../../src/stores/connect/store-errors.ts";

describe("the error for a store that is not open", () => {
  const lost = new SeqqaError("STORE_LOST", "The connection was lost.", { hint: "Read the log." });

  it("names the failure that closed the store, and seqqa clean for a store in place", () => {
    expect(notOpen("RedisAdapter of r", { error: lost, inPlace: true })).toMatchObject({
      code: "STORE_LOST",
      message: "The connection was lost.",
      hint: "When the store can be used again, run `seqqa clean` to restore the store. Read the log.",
      exitStatus: 3,
    });
    expect(notOpen("RedisAdapter of r", { error: lost, inPlace: false }).hint).toBe("Read the log.");
  });

  it("names no clean where the store was restored, or the hint names it", () => {
    const kept = new SeqqaError("ROWS_KEPT", "Kept.", { hint: "Compare." });
    expect(notOpen("a", { error: kept, inPlace: true }).hint).toBe("Compare.");
    const over = new SeqqaError("LEASE_OVER", "Over.", { hint: "Run `seqqa clean`." });
    expect(notOpen("a", { error: over, inPlace: true }).hint).toBe("Run `seqqa clean`.");
  });

  it("says that a store was used too early", () => {
    expect(notOpen("RedisAdapter of r", undefined)).toMatchObject({
      code: "STORE_NOT_OPEN",
      message: "The RedisAdapter of r was used while it was not open.",
    });
  });
});
