import type { VisitedSet } from "../../engine/graph/visited-set.ts";
import { parseAs, words, wordsText } from "./shape.ts";
import { knownKey, KEPT, type QueueLink } from "./queue-link.ts";
import type { MessageSigner } from "./message-signer.ts";

/** Largest number of states that are sent in one message. */
const BLOCK = 8192;
/** Largest number of states that are announced to workers. For a committed state that was not announced, workers send an unnecessary snapshot. */
const MOST = 1 << 20;
/** Number of messages that a worker reads with one Redis command. */
const AT_ONCE = 32;

/**
 * Tells workers which states are committed, so that workers do not send snapshots of these states. A worker that misses such a message sends
 * unnecessary snapshots, but the result is the same.
 */
export class KnownStates {
  readonly #link: QueueLink;
  readonly #seal: MessageSigner;
  readonly #exploration: string;
  #told = 0;
  #blocks = 0;

  constructor(link: QueueLink, seal: MessageSigner, exploration: string) {
    this.#link = link;
    this.#seal = seal;
    this.#exploration = exploration;
  }

  /** Sends the states that were committed since the previous call. */
  async tell(visited: VisitedSet): Promise<void> {
    const end = Math.min(visited.size, MOST);
    const key = knownKey(this.#exploration);
    while (this.#told < end) {
      const size = Math.min(end - this.#told, BLOCK);
      const block = new Int32Array(2 * size);
      for (let i = 0; i < size; i++) {
        block[2 * i] = visited.lo(this.#told + i);
        block[2 * i + 1] = visited.hi(this.#told + i);
      }
      this.#told += size;
      const id = String(this.#blocks++);
      await this.#link.redis.rpush(key, this.#seal.close({ kind: "known", run: this.#exploration, id }, JSON.stringify(wordsText(block))));
    }
    await this.#link.redis.expire(key, KEPT);
  }
}

/** Reads the messages of {@link KnownStates} on a worker's side. */
export class KnownReader {
  readonly #link: QueueLink;
  readonly #seal: MessageSigner;
  readonly #exploration: string;
  readonly #visited: VisitedSet;
  #next = 0;

  constructor(link: QueueLink, seal: MessageSigner, exploration: string, visited: VisitedSet) {
    this.#link = link;
    this.#seal = seal;
    this.#exploration = exploration;
    this.#visited = visited;
  }

  async read(): Promise<void> {
    for (;;) {
      const texts = await this.#link.redis.lrange(knownKey(this.#exploration), this.#next, this.#next + AT_ONCE - 1);
      this.#next += texts.length;
      for (const one of texts) this.#take(one);
      if (texts.length < AT_ONCE) return;
    }
  }

  #take(sealed: string): void {
    const body = this.#seal.expect(sealed, { kind: "known", run: this.#exploration });
    if (body === undefined || this.#visited.size >= MOST) return;
    const block = parseAs(body, words(2 * BLOCK));
    for (let at = 0; at + 1 < block.length; at += 2) {
      const [lo, hi] = [block[at]!, block[at + 1]!];
      if (this.#visited.find(lo, hi) < 0) this.#visited.add(lo, hi);
    }
  }
}
