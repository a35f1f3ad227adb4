import type { CheckpointMode } from "../../../stores/delegating-adapter.ts";

export type { QueryRow } from "../../../stores/delegating-adapter.ts";

export type MysqlMode = CheckpointMode;
