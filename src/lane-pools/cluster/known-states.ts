import type { VisitedSet } from "../../engine/graph/visited-set.ts";
import { parseAs, words, wordsText } from "./shape.ts";
import { knownKey, KEPT, type QueueLink } from "./queue-link.ts";
import type { MessageSigner } from "./message-signer.ts";

/** States of one message. */
const BLOCK = 8192;
/** States beyond this are not told: their payloads travel, and that is all. */
const MOST = 1 << 20;
/** Messages that are read at once. */
const AT_ONCE = 32;

/**
 * Tells workers which states are committed, so that they leave out what is known of those. One who misses some of it sends more than need
 * be, and nothing comes out otherwise.
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

  /** Tells what was committed since. */
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

/** Reads what {@link KnownStates} tells. */
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

  /** Takes in what is new. */
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
