import type * as BullMq from "bullmq";
import type { Redis } from "ioredis";
import { SeqqaError } from "../../model/errors.ts";

export interface QueueDrivers {
  readonly bullmq: typeof BullMq;
  readonly Redis: typeof Redis;
}

/** Loads the npm packages that only distributed runs need. @throws SeqqaError `DRIVER_MISSING` (exit status 2) if they are not installed */
export async function loadQueue(): Promise<QueueDrivers> {
  const [bullmq, ioredis] = await Promise.allSettled([import("bullmq"), import("ioredis")]);
  if (bullmq.status === "fulfilled" && ioredis.status === "fulfilled") return { bullmq: bullmq.value, Redis: ioredis.value.Redis };
  const missing = [...(bullmq.status === "rejected" ? ["bullmq"] : []), ...(ioredis.status === "rejected" ? ["ioredis"] : [])];
  const failed = [bullmq, ioredis].find((one) => one.status === "rejected");
  throw new SeqqaError(
    "DRIVER_MISSING",
    `A distributed run needs the packages bullmq and ioredis, but Node cannot load ${missing.join(" and ")}.`,
    {
      hint: `Run in your project: npm install --save-dev ${missing.join(" ")}`,
      exitStatus: 2,
      cause: failed?.status === "rejected" ? failed.reason : undefined,
    },
  );
}
