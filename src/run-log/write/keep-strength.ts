import type { RuleStrength } from "../../reports/index.ts";
import { openSqlite } from "../../stores/connect/sqlite-driver.ts";
import { readStore } from "../read/open-run.ts";
import { runFile } from "../read/runs.ts";
import { RunLock } from "../run-lock.ts";

/**
 * Stores the measured strength of the rules of an exploration in its run, for reports. Descriptions of wrong data are left out, because they contain
 * values of rows.
 * @throws SeqqaError `RUN_GOES_ON` if another process writes the run, `RUN_UNREADABLE` if the run cannot be read; errors of SQLite if the file is not
 * writable
 */
export function keepStrength(
  outputDir: string,
  run: string,
  { name, file }: { readonly name: string; readonly file: string },
  { tried, noticed, refused, isCut, places }: RuleStrength,
): void {
  const kept: RuleStrength = {
    tried,
    noticed,
    refused,
    isCut,
    places: places.map((one) => ({
      table: one.table,
      column: one.column,
      kind: one.kind,
      tried: one.tried,
      noticed: one.noticed,
      by: one.by,
    })),
  };
  const log = runFile(outputDir, run);
  const lock = new RunLock(log);
  try {
    // Check the tables first. A file from another person could contain a trigger.
    readStore(log, () => undefined);
    const db = openSqlite(log, { fileMustExist: true, timeout: 2_000 });
    try {
      db.pragma("trusted_schema = OFF");
      db.prepare("UPDATE explorations SET document = json_set(document, '$.strength', json(?)) WHERE name = ? AND file = ?").run(
        JSON.stringify(kept),
        name,
        file,
      );
    } finally {
      db.close();
    }
  } finally {
    lock.release();
  }
}
