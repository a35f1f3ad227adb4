import type { Queue } from "bullmq";
import type { Chunk, Expansion } from "../../messages/lane-messages.ts";
import { SeqqaError } from "../../model/errors.ts";
import { lostExpansion } from "../threads/lost-expansion.ts";
import { chunkText, expansionOf } from "./chunk-text.ts";
import { resultHead, type ResultHead } from "./handshake.ts";
import { KEPT, type QueueLink } from "./queue-link.ts";
import { parseAs } from "./shape.ts";
import type { MessageSigner } from "./message-signer.ts";

export interface ChunkQueueOptions {
  readonly link: QueueLink;
  readonly seal: MessageSigner;
  readonly name: string;
  readonly actions: number;
}

interface Asked {
  readonly chunk: Chunk;
  readonly sealed: string;
  /** Number of jobs that were created for the chunk so far. */
  tries: number;
  /**
   * Number of times that the queue gave up this chunk. The queue gives up a chunk after {@link MOST_STALLS} workers were lost while they executed the
   * chunk.
   */
  stalls: number;
  /** Number of times that a worker reported that it failed to process the chunk. */
  failures: number;
  /** The time at which the last job was added to the queue. `undefined` while it is being added. */
  sentAt: number | undefined;
  readonly resolve: (expansion: Expansion) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A job that is no longer in the queue counts as lost this many milliseconds after it was added. During this time, the answer to the job may be on
 * its way.
 */
const LOST_AFTER_MS = 4000;
/**
 * Like {@link LOST_AFTER_MS}, for an audit after Redis was unreachable. The time is shorter, since a restarted Redis server may have lost all jobs.
 */
const LOST_AFTER_ABSENCE_MS = 300;
/** If the queue gives up this many jobs for one chunk, the run ends. */
const MOST_LOSSES = 2;
/** If workers fail this many times to process one chunk, the run ends. The number is high, because workers that are about to leave also fail. */
const MOST_FAILURES = 8;
/** Number of workers after which the queue gives up a job, if all of them are lost while they execute this job. */
export const MOST_STALLS = 3;

/**
 * Sends chunks to workers as jobs in a queue, and receives the answers. A job may be executed twice, and an answer may come late or twice. All
 * answers to a chunk are equal, so the answer that arrives first is used. A job that has disappeared from the queue is created again, since Redis may
 * have lost the job or another client may have deleted it.
 */
export class ChunkQueue {
  readonly #options: ChunkQueueOptions;
  readonly #asked: Map<string, Asked> = new Map();
  #queue: Queue | undefined;
  #count = 0;
  #isCancelled = false;

  constructor(options: ChunkQueueOptions) {
    this.#options = options;
  }

  open(): void {
    this.#queue = this.#options.link.queue(this.#options.name);
  }

  /**
   * Sends a chunk to the workers and resolves to the answer. @throws SeqqaError `CHUNK_LOST` if several workers are lost because of the chunk, or if
   * workers fail to process the chunk too often
   */
  ask(chunk: Chunk): Promise<Expansion> {
    if (this.#isCancelled) return Promise.resolve(NOTHING);
    const id = String(++this.#count);
    const { seal, name } = this.#options;
    return new Promise((resolve, reject) => {
      const sealed = seal.close({ kind: "chunk", run: name, id }, chunkText(chunk));
      const asked: Asked = { chunk, sealed, tries: 0, stalls: 0, failures: 0, sentAt: undefined, resolve, reject };
      this.#asked.set(id, asked);
      void this.#send(id, asked);
    });
  }

  /**
   * Accepts the answer to a chunk. Ignores the answer if no chunk waits for it. @throws ShapeError if the answer is invalid; the chunk then waits for
   * another answer
   */
  take(id: string, body: string, isMember: (worker: string) => boolean): ResultHead {
    const end = body.indexOf("\n");
    const head = parseAs(body.slice(0, Math.max(end, 0)), resultHead);
    const asked = this.#asked.get(id);
    if (asked === undefined || !isMember(head.worker)) return head;
    const expansion = expansionOf(body.slice(end + 1), asked.chunk.units, this.#options.actions);
    this.#asked.delete(id);
    asked.resolve(expansion);
    return head;
  }

  /** Checks if all jobs still exist. Replaces jobs that were lost or that failed by new jobs. `wasAway`: `true` after Redis was unreachable. */
  async audit(wasAway: boolean): Promise<void> {
    const queue = this.#queue;
    if (queue === undefined) return;
    // Loop over a copy. Chunks may be added faster than they are checked, so a loop over the map itself might never end.
    const all = [...this.#asked];
    const ids = all.map(([id, { tries }]) => jobId(id, tries));
    await this.#options.link.expire(this.#options.name, ids, KEPT);
    // Check all jobs at the same time, so that their round trips overlap. Wait for all results, so that two audits never overlap.
    const looks = await Promise.allSettled(all.map(([id, asked]) => this.#look(queue, id, asked, wasAway)));
    for (const look of looks) if (look.status === "rejected") throw look.reason;
  }

  /** Resolves all waiting calls of {@link ask} with empty answers. */
  cancel(): void {
    this.#isCancelled = true;
    for (const { resolve } of this.#asked.values()) resolve(NOTHING);
    this.#asked.clear();
    // Remove jobs from the queue that no worker has begun.
    void this.#queue?.drain().catch(() => undefined);
  }

  async close(): Promise<void> {
    const queue = this.#queue;
    this.#queue = undefined;
    if (queue === undefined) return;
    await queue.obliterate({ force: true }).catch(() => undefined);
    // A worker that is just finishing may write keys of this queue after the queue was deleted, so let these keys expire.
    await this.#options.link.expire(this.#options.name, [], 60).catch(() => undefined);
    await queue.close().catch(() => undefined);
  }

  async #look(queue: Queue, id: string, asked: Asked, wasAway: boolean): Promise<void> {
    if (this.#asked.get(id) !== asked || asked.sentAt === undefined || this.#isCancelled) return;
    const mayBeLost = performance.now() - asked.sentAt > (wasAway ? LOST_AFTER_ABSENCE_MS : LOST_AFTER_MS);
    const job = jobId(id, asked.tries);
    const state = await queue.getJobState(job);
    if (this.#asked.get(id) !== asked) return;
    if (state !== "failed" && !(mayBeLost && (state === "unknown" || state === "completed"))) return;
    if (state === "failed") {
      if (await this.#isStalled(queue, job)) asked.stalls++;
      else asked.failures++;
    }
    if (asked.stalls >= MOST_LOSSES || asked.failures >= MOST_FAILURES) {
      this.#asked.delete(id);
      asked.reject(asked.stalls >= MOST_LOSSES ? lostChunk(asked) : refusedChunk());
    } else await this.#send(id, asked);
  }

  async #send(id: string, asked: Asked): Promise<void> {
    asked.tries++;
    asked.sentAt = undefined;
    // Ignore an error when the job is added. The next audit notices that the job is missing, and creates a new job.
    await this.#queue
      ?.add("chunk", { sealed: asked.sealed }, { jobId: jobId(id, asked.tries), removeOnComplete: true, removeOnFail: { count: 1000 } })
      .catch(() => undefined);
    asked.sentAt = performance.now();
  }

  async #isStalled(queue: Queue, id: string): Promise<boolean> {
    const job = await queue.getJob(id);
    await job?.remove().catch(() => undefined);
    return /stalled/.test(String(job?.failedReason));
  }
}

const NOTHING: Expansion = lostExpansion(undefined);

const jobId = (id: string, tries: number): string => `c${id}-${tries}`;

/** Returns the id of the chunk for which a job was created. Returns `undefined` if the job's id does not come from seqqa. */
export const chunkIdOf = (job: string): string | undefined => /^c(\d{1,15})-\d{1,9}$/.exec(job)?.[1];

function refusedChunk(): SeqqaError {
  return new SeqqaError("CHUNK_LOST", `The workers of the distributed run failed ${MOST_FAILURES} times at the same piece of work.`, {
    hint: "Read the output of `seqqa worker` on each machine, which shows the reason.",
    exitStatus: 3,
  });
}

function lostChunk({ chunk }: Asked): SeqqaError {
  const [first] = chunk.units;
  const count = MOST_LOSSES * (MOST_STALLS + 1);
  return new SeqqaError(
    "CHUNK_LOST",
    `${count} workers stopped one after another while they explored the same ${chunk.units.length === 1 ? "state" : `${chunk.units.length} states`}. The first of these states is ${first!.path.length} steps from the root state.`,
    {
      hint: "Read the output of `seqqa worker` on each machine. An action may end the worker's process, or block it for a long time.",
      exitStatus: 3,
    },
  );
}
