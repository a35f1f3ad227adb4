/** A job in a queue. Plain data. */
export interface QueueJob {
  readonly queue: string;
  /** The id that the target or the broker gave it; `undefined` for a message without one. */
  readonly id: string | undefined;
  /** BullMQ: the job's name. RabbitMQ: the routing key. NATS: the subject. */
  readonly name: string;
  /** JSON as a value, other text as a string, and other bytes as base64. */
  readonly data: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
  /** `true` if a worker had it before, and did not finish it. */
  readonly redelivered: boolean;
  /** `waiting`: for a worker. `delayed`: until its time has come. `failed`: it is not tried again. */
  readonly state: "waiting" | "delayed" | "failed";
}

/**
 * The end of a worker's work on a job. `done`: it is confirmed. `retry`: it failed, and the broker decides when it is tried again. `reject`: it failed
 * for good. `lost`: the worker vanished before it confirmed, and the job waits again.
 */
export type Settlement = "done" | "retry" | "reject" | "lost";

/** A job that a worker has. */
export interface TakenJob {
  readonly job: QueueJob;
  settle(how: Settlement): Promise<void>;
}

/** A store with queues, as the actions of {@link queueActions} and checks use it. */
export interface QueueStore {
  /** Returns the jobs of a queue that are not done, those that wait in the order in which workers take them. */
  jobs(queue: string): Promise<readonly QueueJob[]>;
  /**
   * Takes the next job, as a worker does; `undefined` if none waits. A delayed job is taken once no other waits.
   * @throws SeqqaError `QUEUE_HAS_WORKER` when a worker of the target takes jobs by itself; `QUEUE_UNKNOWN` for a queue that does not exist
   */
  take(queue: string): Promise<TakenJob | undefined>;
}

/** Returns the value in the bytes of a message: JSON, text, or base64. */
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
