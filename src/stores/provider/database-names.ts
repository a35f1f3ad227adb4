import { createHash } from "node:crypto";

export interface DatabaseNaming {
  readonly longest: number;
  readonly template: string;
  /** The longest suffix that can be appended to the name of a lane's database, for the database of a checkpoint. */
  readonly longestAddition: string;
  /** Matches the end of the name of a lane's database: lane number, generation, and the suffix of a checkpoint. */
  readonly lane: RegExp;
}

export class DatabaseNames {
  readonly template: string;
  readonly #lanes: string;
  readonly #lane: RegExp;

  /**
   * Prepares the names of a run's databases. A store's name that is too long or not suitable (such as `my store`) is shortened, its unsuitable
   * characters are replaced, and a digest of the original name is appended, so that different stores get different names.
   */
  constructor(runId: string, store: string, naming: DatabaseNaming) {
    const longest = naming.longest - `seqqa_${runId}__lane999_99999${naming.longestAddition}`.length;
    const plain = store.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_");
    const digest = createHash("sha256").update(store).digest("hex").slice(0, 6);
    const name = plain === store && store.length <= longest ? store : `${plain.slice(0, Math.max(1, longest - 7))}_${digest}`;
    this.template = `seqqa_${runId}_${naming.template}_${name}`;
    this.#lanes = `seqqa_${runId}_${name}_lane`;
    this.#lane = naming.lane;
  }

  lane(lane: number, generation: number): string {
    return `${this.ofLane(lane)}${generation}`;
  }

  ofLane(lane: number): string {
    return `${this.#lanes}${lane}_`;
  }

  /** Returns `true` if a database belongs to this run and this store, judged by its name. */
  owns(database: string): boolean {
    return database === this.template || (database.startsWith(this.#lanes) && this.#lane.test(database.slice(this.#lanes.length)));
  }
}
