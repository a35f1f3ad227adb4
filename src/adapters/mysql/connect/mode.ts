import type { CheckpointMode } from "../../../stores/delegating-adapter.ts";

export type { QueryRow } from "../../../stores/delegating-adapter.ts";

/** One way of restoring a database; the adapter chooses one when it is opened. */
export type MysqlMode = CheckpointMode;
