import { LIMIT_ROWS, type KeptCounters } from "../../../model/stores/store-adapter.ts";
import type { Control } from "../connect/control.ts";
import type { Sequence } from "../schema/catalog.ts";
import { CACHED } from "./counter-sql.ts";
import type { MultisetSnapshot } from "./multiset-snapshot.ts";

type Reached = NonNullable<MultisetSnapshot["reached"]>;

/** The sequences of a lane's database that restores leave unchanged. */
export class UnrestoredSequences {
  readonly any: boolean;
  readonly #control: Control;
  readonly #sequences: readonly Sequence[];
  #root: Reached = [];

  constructor(control: Control, sequences: readonly Sequence[]) {
    this.#control = control;
    this.#sequences = sequences;
    this.any = sequences.length > 0;
  }

  /** Reads the values of the root state. */
  async root(): Promise<void> {
    this.#root = (await this.reached()).reached ?? [];
  }

  /** Returns the last values, as a part of a snapshot. */
  async reached(): Promise<Pick<MultisetSnapshot, "reached">> {
    if (!this.any) return {};
    const values = this.#sequences.map(({ oid }) => `pg_sequence_last_value(${oid}::regclass)::text`);
    const [row] = await this.#control.rows(`select ${values.join(", ")}`);
    return { reached: this.#sequences.map(({ sqlName }, i) => [sqlName, row?.[i] ?? null] as const) };
  }

  /** Raises the sequences to the values of a snapshot. */
  async raise(wanted: Reached): Promise<void> {
    for (const [name, last] of wanted)
      await this.#control.rows(
        "select setval($1::regclass, $2::bigint) where $2::bigint is not null and coalesce(pg_sequence_last_value($1::regclass) < $2, true)",
        [name, last],
      );
  }

  /** Sets the sequences to their values in the root state. */
  async restore(): Promise<boolean> {
    for (const [name, last] of this.#root) {
      await this.#control.rows(
        `select setval(seqrelid::regclass, coalesce($2::bigint, seqstart), $2::bigint is not null) from pg_sequence where seqrelid = $1::regclass`,
        [name, last],
      );
      await this.#control.rows(`update ${CACHED} set last = $2::bigint where sequence = $1::regclass`, [name, last]);
    }
    return true;
  }

  /** Describes the sequences. Returns `undefined` if there are none. */
  described(restore: () => Promise<boolean>): KeptCounters | undefined {
    return this.any ? { tables: this.#sequences.map(({ name }) => name), remedy: LIMIT_ROWS, restore } : undefined;
  }
}
