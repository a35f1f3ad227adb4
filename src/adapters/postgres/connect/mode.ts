import type { CheckpointMode } from "../../../stores/delegating-adapter.ts";

export type { QueryRow } from "../../../stores/delegating-adapter.ts";

/** One way of restoring a database; the adapter chooses one when it is opened. */
export type PostgresMode = CheckpointMode;

/** The part of a connection that a mode needs: `pg.Client` has it. */
export interface Queryable {
  query(config: {
    readonly text: string;
    readonly values?: readonly unknown[] | undefined;
    readonly name?: string | undefined;
    readonly rowMode?: "array" | undefined;
  }): Promise<{ readonly rows: readonly unknown[] }>;
}
