import { createHash } from "node:crypto";

/** The longest name of a database. */
const LONGEST = 64;

/** A database of a run: its template or a lane's. */
const PATTERN = /^seqqa_([0-9a-f]{4,})_(?:t_[a-z0-9_]+|[a-z0-9_]+_lane\d+_\d+)$/;

/** The run that a database belongs to; `undefined` for everything that no run made. */
export function runOf(database: string): string | undefined {
  return PATTERN.exec(database)?.[1];
}

/** The name of the lock that a living run holds, on whichever server its stores are. */
export function runLock(runId: string): string {
  return `seqqa run ${createHash("sha256").update(runId).digest("hex").slice(0, 32)}`;
}

/** Names of the databases that a run makes for one store. */
export class DatabaseNames {
  readonly template: string;
  readonly #lanes: string;

  /** `store` is the name that the user gave it: whatever is not plain in it is replaced, and told apart by a digest. */
  constructor(runId: string, store: string) {
    const longest = LONGEST - `seqqa_${runId}__lane999_99999`.length;
    const plain = store.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_");
    const digest = createHash("sha256").update(store).digest("hex").slice(0, 6);
    const name = plain === store && store.length <= longest ? store : `${plain.slice(0, Math.max(1, longest - 7))}_${digest}`;
    this.template = `seqqa_${runId}_t_${name}`;
    this.#lanes = `seqqa_${runId}_${name}_lane`;
  }

  lane(lane: number, generation: number): string {
    return `${this.ofLane(lane)}${generation}`;
  }

  /** What all names of a lane's databases begin with. */
  ofLane(lane: number): string {
    return `${this.#lanes}${lane}_`;
  }

  /** Whether a database is one of these. */
  owns(database: string): boolean {
    return database === this.template || (database.startsWith(this.#lanes) && /^\d+_\d+$/.test(database.slice(this.#lanes.length)));
  }
}
