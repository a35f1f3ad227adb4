import type { CheckpointMode } from "../../../systems/delegating-system.ts";

export type { QueryRow } from "../../../systems/delegating-system.ts";

/** One way of putting a database back; the adapter chooses one when it is opened. */
export type MysqlMode = CheckpointMode;
