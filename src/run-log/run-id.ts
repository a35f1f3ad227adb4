import { randomBytes } from "node:crypto";

/** Returns a new run id such as `20261121-083020-123-4fd1` (UTC). Sorting ids as texts sorts them by time. */
export function newRunId(at: Date): string {
  const [date = "", time = ""] = at.toISOString().replaceAll(/[-:Z]/g, "").split("T");
  return `${date}-${time.replace(".", "-")}-${randomBytes(2).toString("hex")}`;
}

export const RUN_ID: RegExp = /^\d{8}-\d{6}-\d{3}-[0-9a-f]{4}$/;
