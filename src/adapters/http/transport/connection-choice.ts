/** The parts of a request by which requests are grouped. Only latencies within a group are compared. */
export interface Asked {
  readonly method: string;
  readonly path: string;
}

/**
 * The range of latencies, in milliseconds, that a delayed ACK can explain. Linux delays ACKs by 40 ms; the rest is the processing time of the target.
 */
const SLOW_FROM = 38;
const SLOW_TO = 70;
/** An answer on a new connection counts as faster if it arrives at least this number of milliseconds earlier than on the keep-alive connection. */
const SAVED = 25;
/** A test with new connections starts after this number of consecutive slow answers to requests of one kind on the keep-alive connection. */
const SUSPECT = 3;
/** A test succeeds after this number of faster answers on new connections. */
const TRIED = 4;
/** A test fails after this number of answers on new connections that are not faster. A smaller number may only mean that the machine is busy. */
const MISSES = 6;
/** After a successful test, this number of consecutive slow answers on the keep-alive connection proves that this connection causes the delay. */
const PROVEN = 5;
/**
 * The maximum number of fast answers on the keep-alive connection that are ignored before the first of the {@link PROVEN} slow answers. Some kernels
 * do not delay the first ACKs of a connection.
 */
const EARLY = 4;
/** A test fails after this number of requests of other kinds, because requests of the tested kind are too rare. */
const PATIENCE = 500;
/** After this number of failed tests, there is a pause before each further test. A busy machine can make a test fail. */
const MOST_TRIALS = 3;
/** The length of the first pause, in requests. Each further pause is twice as long. */
const REST = 200;
/** If slow answers on new connections outnumber fast answers by this number, the client permanently returns to the keep-alive connection. */
const REGRETTED = 8;
const MOST_KINDS = 100;

type Stage =
  | { readonly kind: "watching" }
  | { readonly kind: "resting"; left: number }
  | { readonly kind: "trying"; readonly alike: string; readonly slowMs: number; fast: number; misses: number; others: number }
  | { readonly kind: "proving"; readonly alike: string; readonly slowMs: number; early: number; slow: number; others: number }
  | { readonly kind: "switched"; readonly alike: string; readonly slowMs: number; regret: number }
  | { readonly kind: "settled" };

interface Streak {
  slow: number;
  leastMs: number;
}

/**
 * Decides from latencies if requests to an origin share one keep-alive connection, or if each request gets a new connection. A server that writes
 * headers and body separately waits for the ACK of the first packet (Nagle's algorithm). On a connection in use, the client's kernel delays that ACK
 * by 40 ms; on a new connection, it does not. A server that simply works for 40 ms takes as long on a new connection. Requests of one kind must
 * therefore be slow on the keep-alive connection, fast on new connections, and then slow on the keep-alive connection again. No extra requests are
 * sent.
 */
export class ConnectionChoice {
  #stage: Stage = { kind: "watching" };
  readonly #streaks: Map<string, Streak> = new Map();
  #failedTrials = 0;

  get switched(): boolean {
    return this.#stage.kind === "switched";
  }

  wantsNew(asked: Asked): boolean {
    const stage = this.#stage;
    return stage.kind === "switched" || (stage.kind === "trying" && stage.alike === kindOf(asked));
  }

  /**
   * Records the latency of a complete answer, including the time for connecting.
   * @param isNew `true` if the request was the first one on its connection.
   */
  observe(asked: Asked, isNew: boolean, ms: number): void {
    const stage = this.#stage;
    switch (stage.kind) {
      case "settled":
        return;
      case "resting":
        if (--stage.left === 0) this.#stage = { kind: "watching" };
        return;
      case "watching":
        if (!isNew && (this.#streaks.size > 0 || ms >= SLOW_FROM)) this.#watch(kindOf(asked), ms);
        return;
      case "switched":
        if (isNew && kindOf(asked) === stage.alike) {
          stage.regret = Math.max(0, stage.regret + (isFaster(ms, stage.slowMs) ? -1 : 1));
          if (stage.regret >= REGRETTED) this.keep();
        }
        return;
      default:
        if (kindOf(asked) !== stage.alike) {
          if (++stage.others >= PATIENCE) this.#fail();
        } else if (stage.kind === "trying" && isNew) this.#try(stage, ms);
        else if (stage.kind === "proving" && !isNew) this.#prove(stage, ms);
    }
  }

  /** Stops choosing between connections: further requests no longer get new connections. */
  keep(): void {
    this.#stage = { kind: "settled" };
    this.#streaks.clear();
  }

  #watch(alike: string, ms: number): void {
    if (ms < SLOW_FROM) this.#streaks.delete(alike);
    // Ignore answers that are not slow. Also ignore answers that take too long, because a busy machine may have delayed them.
    if (ms < SLOW_FROM || ms > SLOW_TO) return;
    if (this.#streaks.size >= MOST_KINDS) this.#streaks.clear();
    const streak = this.#streaks.get(alike) ?? { slow: 0, leastMs: Infinity };
    this.#streaks.set(alike, streak);
    streak.slow++;
    streak.leastMs = Math.min(streak.leastMs, ms);
    if (streak.slow < SUSPECT) return;
    this.#stage = { kind: "trying", alike, slowMs: streak.leastMs, fast: 0, misses: 0, others: 0 };
    this.#streaks.clear();
  }

  #try(stage: Stage & { kind: "trying" }, ms: number): void {
    const { alike, slowMs } = stage;
    if (!isFaster(ms, slowMs)) {
      if (++stage.misses >= MISSES) this.#fail();
    } else if (++stage.fast >= TRIED) this.#stage = { kind: "proving", alike, slowMs, early: 0, slow: 0, others: 0 };
  }

  #prove(stage: Stage & { kind: "proving" }, ms: number): void {
    const { alike, slowMs } = stage;
    if (ms >= SLOW_FROM) {
      if (++stage.slow >= PROVEN) this.#stage = { kind: "switched", alike, slowMs, regret: 0 };
    } else if (stage.slow > 0 || ++stage.early > EARLY) this.#fail();
  }

  #fail(): void {
    const beyond = ++this.#failedTrials - MOST_TRIALS;
    this.#stage = beyond < 0 ? { kind: "watching" } : { kind: "resting", left: REST * 2 ** beyond };
  }
}

const isFaster = (ms: number, slowMs: number): boolean => ms <= slowMs - SAVED;

/** Returns method and path without the query, with `*` for path segments that contain digits, e.g. `GET /orders/*`. */
function kindOf({ method, path }: Asked): string {
  const query = path.indexOf("?");
  const plain = query === -1 ? path : path.slice(0, query);
  return `${method} ${plain.replace(/[^/]*\d[^/]*/g, "*")}`;
}
