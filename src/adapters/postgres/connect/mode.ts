import type { CheckpointMode } from "../../../stores/delegating-adapter.ts";

export type { QueryRow } from "../../../stores/delegating-adapter.ts";

/** One way of putting a database back; the adapter chooses one when it is opened. */
export type PostgresMode = CheckpointMode;

/** What a mode needs of a connection: `pg.Client` has it. */
export interface Queryable {
  query(config: {
    readonly text: string;
    readonly values?: readonly unknown[] | undefined;
    readonly name?: string | undefined;
    readonly rowMode?: "array" | undefined;
  }): Promise<{ readonly rows: readonly unknown[] }>;
}
