import type { CheckpointMode } from "../../../stores/delegating-adapter.ts";

export type { QueryRow } from "../../../stores/delegating-adapter.ts";

/** One way of putting a database back; the adapter chooses one when it is opened. */
export type MysqlMode = CheckpointMode;
