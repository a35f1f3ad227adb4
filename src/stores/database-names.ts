import { createHash } from "node:crypto";

/** How a kind of server has its databases named. */
export interface DatabaseNaming {
  /** The longest name that it takes. */
  readonly longest: number;
  /** What the template's name says of it. */
  readonly template: string;
  /** The longest that a lane's checkpoints add to its name, for a database of their own. */
  readonly longestAddition: string;
  /** What a lane's name ends in: its number, its generation, and what was added. */
  readonly lane: RegExp;
}

/** Names of the databases that a run makes for one store. */
export class DatabaseNames {
  readonly template: string;
  readonly #lanes: string;
  readonly #lane: RegExp;

  /** `store` is the name that the user gave it: whatever is not plain in it is replaced, and told apart by a digest. */
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

  /** What all names of a lane's databases begin with. */
  ofLane(lane: number): string {
    return `${this.#lanes}${lane}_`;
  }

  /** Whether a database is one of these. */
  owns(database: string): boolean {
    return database === this.template || (database.startsWith(this.#lanes) && this.#lane.test(database.slice(this.#lanes.length)));
  }
}
