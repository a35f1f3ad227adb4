import { OURS } from "./catalog.ts";
import type { Control } from "./control.ts";
import { named } from "./sql-text.ts";
import { putSnapshot, type Snapshot } from "./snapshot.ts";

/** What a user's own store was when it was opened, in the store itself. */
const SHADOW = `${OURS}shadow`;
/** Characters in one row: well below the longest packet. */
const PIECE = 200_000;

/** Keeps a state in the store, so that the next run can put it back when this one is killed. The last row says that it is whole. */
export async function keepShadow(control: Control, snapshot: Snapshot): Promise<void> {
  await control.rows(`drop table if exists ${SHADOW}`);
  await control.rows(
    `create table ${SHADOW}(at int not null primary key, piece longtext character set utf8mb4 collate utf8mb4_bin, whole tinyint not null) engine=InnoDB`,
  );
  const text = JSON.stringify(snapshot);
  const pieces = Math.ceil(text.length / PIECE);
  for (let at = 0; at < pieces; at++) {
    // Hexadecimal, so that a character cut in two at the end of a piece comes together again.
    const piece = Buffer.from(text.slice(at * PIECE, (at + 1) * PIECE), "utf16le").toString("hex");
    await control.rows(`insert into ${SHADOW} values (${at}, '${piece}', ${at === pieces - 1 ? 1 : 0})`);
  }
}

/** Puts back the state that was kept, if one was kept as a whole. What is installed stays. */
export async function recoverCopy(control: Control): Promise<void> {
  const there = await control.rows(
    `select 1 from information_schema.tables where ${named("table_schema", control.store.database)} and table_name = '${SHADOW}'`,
  );
  if (there.length === 0) return;
  const rows = await control.rows(`select piece, whole from ${SHADOW} order by at`);
  if (rows[rows.length - 1]?.[1] !== "1") return;
  const text = rows.map(([piece]) => Buffer.from(piece!, "hex").toString("utf16le")).join("");
  await control.patiently(() => putSnapshot(control, JSON.parse(text) as Snapshot));
}
