/** The parts of a request by which latencies are compared. */
export interface Asked {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly path: string;
}

/** Latencies that a delayed ACK can explain, in milliseconds: Linux waits for 40, the target works for the rest. */
const SLOW_FROM = 38;
const SLOW_TO = 70;
/** Milliseconds that a new connection must save to count as faster. */
const SAVED = 25;
/** Slow answers in a row, to requests of one kind on the kept connection, that start a trial. */
const SUSPECT = 3;
/** Faster answers on new connections that make a trial succeed. */
const TRIED = 4;
/** Answers on new connections that are no faster and make a trial fail; fewer can be a busy machine. */
const MISSES = 3;
/** Slow answers in a row, on the kept connection again, that prove that the connection makes the difference. */
const PROVEN = 5;
/** Some kernels acknowledge the first packets of a connection at once: this many fast answers are allowed before the proof. */
const EARLY = 4;
/** A trial ends after this many other requests if its kind of request does not come again. */
const PATIENCE = 500;
/** Trials that may fail at once; a busy machine can make one fail. */
const MOST_TRIALS = 3;
/** After those trials, the requests that pass before the next trial; twice as many after each further failure. */
const REST = 200;
/** After the switch, this many slow answers (less the fast ones) on new connections switch back for good. */
const REGRETTED = 8;
/** The most kinds of requests whose latencies are kept at once. */
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
 * Decides from latencies whether requests to an origin share one connection or have one each. A server that writes head and body
 * separately waits for the ACK of the first packet before it sends the second (Nagle's algorithm), and the client delays that ACK on a
 * connection that is in use: each answer takes 40 ms longer there, and not on a new connection. A server that works for 40 ms takes as
 * long on a new one. So the decision compares requests of one kind: slow on the kept connection, fast on new ones, slow on the kept
 * one again. The requests are those of the run; none is added.
 */
export class ConnectionChoice {
  #stage: Stage = { kind: "watching" };
  readonly #streaks: Map<string, Streak> = new Map();
  #failedTrials = 0;

  /** `true` if each request has a connection of its own. */
  get switched(): boolean {
    return this.#stage.kind === "switched";
  }

  /** Returns `true` if the request must be sent on a connection of its own. */
  wantsNew(asked: Asked): boolean {
    const stage = this.#stage;
    return stage.kind === "switched" || (stage.kind === "trying" && stage.alike === kindOf(asked));
  }

  /**
   * Takes in how long a complete answer took, connecting included.
   * @param isNew The request was the first one on its connection.
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

  /** Ends the decision: the connection is kept from now on. */
  keep(): void {
    this.#stage = { kind: "settled" };
    this.#streaks.clear();
  }

  #watch(alike: string, ms: number): void {
    if (ms < SLOW_FROM) this.#streaks.delete(alike);
    // Longer times say nothing: on a busy machine a delayed answer can come later still.
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

/** Returns method and path, without the query and without the values of ids: `GET /orders/*`. */
function kindOf({ method, path }: Asked): string {
  const query = path.indexOf("?");
  const plain = query === -1 ? path : path.slice(0, query);
  return `${method} ${plain.replace(/[^/]*\d[^/]*/g, "*")}`;
}
