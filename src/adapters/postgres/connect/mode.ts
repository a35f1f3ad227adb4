import type { CheckpointMode } from "../../../stores/delegating-adapter.ts";

export type { QueryRow } from "../../../stores/delegating-adapter.ts";

export type PostgresMode = CheckpointMode;

export interface Queryable {
  query(config: {
    readonly text: string;
    readonly values?: readonly unknown[] | undefined;
    readonly name?: string | undefined;
    readonly rowMode?: "array" | undefined;
  }): Promise<{ readonly rows: readonly unknown[] }>;
}
