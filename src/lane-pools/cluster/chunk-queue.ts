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
  /** Number of jobs that were made for the chunk. */
  tries: number;
  /** How often the queue gave up a job for the chunk, because {@link MOST_STALLS} workers were lost over it. */
  stalls: number;
  /** How often a worker failed to process the chunk. */
  failures: number;
  /** The time at which the job was sent. `undefined` while the job is being sent. */
  sentAt: number | undefined;
  readonly resolve: (expansion: Expansion) => void;
  readonly reject: (error: Error) => void;
}

/** Age in milliseconds at which a job that is not in the queue counts as lost. Before that, its answer may be on its way. */
const LOST_AFTER_MS = 4000;
/**
 * Age in milliseconds at which a missing job counts as lost after the server was unreachable. It is shorter, since the server may have lost all jobs.
 */
const LOST_AFTER_ABSENCE_MS = 300;
/** The run ends if the queue gives up the jobs for one chunk this many times. */
const MOST_LOSSES = 2;
/** The run ends if workers fail to process one chunk this many times. The number is high, since some of them may have been leaving. */
const MOST_FAILURES = 8;
/** Number of workers that may be lost over one job before the queue gives the job up. */
export const MOST_STALLS = 3;

/**
 * Sends chunks as jobs, and receives their answers. A job may be executed more than once, and an answer may come late or twice. The first answer
 * counts, since all answers are equal. A job that no longer exists is made again: the server may have lost it, or another client changed it.
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
   * Sends a chunk and resolves to its answer. @throws SeqqaError `CHUNK_LOST` if worker after worker is lost over the chunk or fails to process it
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

  /** Accepts an answer. Ignores an answer that no chunk waits for. @throws ShapeError if the answer is invalid; the chunk then still waits */
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

  /** Checks that jobs still exist. Makes lost jobs and failed jobs again. */
  async audit(wasAway: boolean): Promise<void> {
    const queue = this.#queue;
    if (queue === undefined) return;
    // This is a copy, because chunks may arrive faster than they are checked. A loop over the map itself might never end.
    const all = [...this.#asked];
    const ids = all.map(([id, { tries }]) => jobId(id, tries));
    await this.#options.link.expire(this.#options.name, ids, KEPT);
    // All jobs are checked at the same time, which saves a round trip for each. All checks finish before this method ends, so that audits do not
    // overlap.
    const looks = await Promise.allSettled(all.map(([id, asked]) => this.#look(queue, id, asked, wasAway)));
    for (const look of looks) if (look.status === "rejected") throw look.reason;
  }

  /** Resolves all waiting calls with empty expansions. */
  cancel(): void {
    this.#isCancelled = true;
    for (const { resolve } of this.#asked.values()) resolve(NOTHING);
    this.#asked.clear();
    // Jobs that wait in the queue need not begin.
    void this.#queue?.drain().catch(() => undefined);
  }

  async close(): Promise<void> {
    const queue = this.#queue;
    this.#queue = undefined;
    if (queue === undefined) return;
    await queue.obliterate({ force: true }).catch(() => undefined);
    // A worker that is just finishing may still write keys of this queue.
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
    // A later audit notices that a job could not be added, and makes it again.
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

/** Returns the chunk's id from the id of its job, or `undefined` for a job of another origin. */
export const chunkIdOf = (job: string): string | undefined => /^c(\d{1,15})-\d{1,9}$/.exec(job)?.[1];

function refusedChunk(): SeqqaError {
  return new SeqqaError("CHUNK_LOST", `Workers failed to process the same chunk of work ${MOST_FAILURES} times.`, {
    hint: "See the output of the workers for the reason.",
    exitStatus: 3,
  });
}

function lostChunk({ chunk }: Asked): SeqqaError {
  const [first] = chunk.units;
  const count = MOST_LOSSES * (MOST_STALLS + 1);
  return new SeqqaError(
    "CHUNK_LOST",
    `${count} workers were lost one after another over the same ${chunk.units.length === 1 ? "state" : `${chunk.units.length} states`} (the first one ${first!.path.length} steps from the root).`,
    { hint: "Check the output of the workers: an action may end the process, or block it for long.", exitStatus: 3 },
  );
}
