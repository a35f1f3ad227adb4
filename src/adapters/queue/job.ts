/** A job in a queue. Plain data. */
export interface QueueJob {
  readonly queue: string;
  /** The id that the target or the broker assigned; `undefined` for a message without one. */
  readonly id: string | undefined;
  /** BullMQ: the job's name. RabbitMQ: the routing key. NATS: the subject. */
  readonly name: string;
  /** The payload of the job: a value for JSON, a string for other text, and base64 for other bytes. */
  readonly data: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
  /** `true` if a worker took the job earlier and did not finish it. */
  readonly redelivered: boolean;
  /** `waiting`: ready for a worker. `delayed`: not ready before a set time. `failed`: failed permanently, so no worker gets the job again. */
  readonly state: "waiting" | "delayed" | "failed";
}

/**
 * The result that a worker reports for a job.
 *
 * - `done`: the worker acknowledges the job.
 * - `retry`: the work failed, and the broker decides when to retry it.
 * - `reject`: the work failed permanently.
 * - `lost`: the worker crashed before it acknowledged the job, so the job waits again.
 */
export type Settlement = "done" | "retry" | "reject" | "lost";

/** A job that a worker has taken, but for which it has not reported a {@link Settlement} yet. */
export interface TakenJob {
  readonly job: QueueJob;
  settle(how: Settlement): Promise<void>;
}

/** A store with queues. The actions of {@link queueActions} and the user's checks use it. */
export interface QueueStore {
  /** Returns the unfinished jobs of a queue. Waiting jobs are in the order in which workers take them. */
  jobs(queue: string): Promise<readonly QueueJob[]>;
  /**
   * Takes the next job as a worker does. Returns `undefined` if no job waits. Delayed jobs are treated as ready.
   * @throws SeqqaError `QUEUE_HAS_WORKER` if a worker of the target also takes jobs; `QUEUE_UNKNOWN` if the queue does not exist
   */
  take(queue: string): Promise<TakenJob | undefined>;
}

/** Decodes the payload of a message: JSON to a value, other text to a string, other bytes to base64. */
export function payloadOf(bytes: Uint8Array): unknown {
  const content = Buffer.from(bytes);
  const text = content.toString();
  if (!Buffer.from(text).equals(content)) return content.toString("base64");
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
