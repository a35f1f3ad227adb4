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

/** A chunk that somebody waits for. */
interface Asked {
  readonly chunk: Chunk;
  readonly sealed: string;
  /** How often it was made a job. */
  tries: number;
  /** How often a worker was lost over it more often than the queue puts up with. */
  stalls: number;
  /** How often a worker gave it back. */
  failures: number;
  /** `undefined`: it is on its way there. */
  sentAt: number | undefined;
  readonly resolve: (expansion: Expansion) => void;
  readonly reject: (error: Error) => void;
}

/** How old a job is that is taken to be lost when it is not there; until then its answer may be on its way here. Milliseconds. */
const LOST_AFTER_MS = 4000;
/** The same after the server was away, which may have lost all of them. */
const LOST_AFTER_ABSENCE_MS = 300;
/** A chunk over which so many times {@link MOST_STALLS} workers were lost ends the run. */
const MOST_LOSSES = 2;
/** A chunk that workers gave back so many times ends the run; some may have been on their way out. */
const MOST_FAILURES = 8;
/** Workers that may be lost over one job before the queue gives it up. */
export const MOST_STALLS = 3;

/**
 * Chunks as jobs, and their answers. A job may be executed more than once, and an answer may come late or twice: the first one counts, and they are all
 * alike. A job that is not there any more (the server lost it, or somebody spoilt it) is made again.
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

  /** @throws SeqqaError `CHUNK_LOST` when worker after worker is lost over it or gives it back */
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

  /** Takes an answer; one that nobody waits for (any more) does nothing. @throws ShapeError, and the chunk stays asked for */
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

  /** Looks whether jobs are still there, and makes those again that are not, and those that were given back. */
  async audit(wasAway: boolean): Promise<void> {
    const queue = this.#queue;
    if (queue === undefined) return;
    // Those of now: where chunks come faster than they are looked for, there would be no end to it.
    const all = [...this.#asked];
    const ids = all.map(([id, { tries }]) => jobId(id, tries));
    await this.#options.link.expire(this.#options.name, ids, KEPT);
    // At the same time: one after another would be a round trip each. None is under way any more when this is over, so that looks do not meet.
    const looks = await Promise.allSettled(all.map(([id, asked]) => this.#look(queue, id, asked, wasAway)));
    for (const look of looks) if (look.status === "rejected") throw look.reason;
  }

  /** Nobody waits any more. */
  cancel(): void {
    this.#isCancelled = true;
    for (const { resolve } of this.#asked.values()) resolve(NOTHING);
    this.#asked.clear();
    // What waits need not be begun.
    void this.#queue?.drain().catch(() => undefined);
  }

  /** Removes the queue. */
  async close(): Promise<void> {
    const queue = this.#queue;
    this.#queue = undefined;
    if (queue === undefined) return;
    await queue.obliterate({ force: true }).catch(() => undefined);
    // A worker that is just finishing may write there still.
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
    // One that cannot be added is found missing later.
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

/** The chunk's id in the id of its job; `undefined`: it is none of ours. */
export const chunkIdOf = (job: string): string | undefined => /^c(\d{1,15})-\d{1,9}$/.exec(job)?.[1];

function refusedChunk(): SeqqaError {
  return new SeqqaError("CHUNK_LOST", `Workers gave the same chunk back ${MOST_FAILURES} times.`, {
    hint: "The output of the workers says why.",
    exitStatus: 3,
  });
}

function lostChunk({ chunk }: Asked): SeqqaError {
  const [first] = chunk.units;
  const count = MOST_LOSSES * (MOST_STALLS + 1);
  return new SeqqaError(
    "CHUNK_LOST",
    `${count} workers were lost one after another over the same ${chunk.units.length === 1 ? "state" : `${chunk.units.length} states`} (the first one ${first!.path.length} steps from the root).`,
    { hint: "Look at the output of the workers: an action may end the process, or block it for long.", exitStatus: 3 },
  );
}
