import { SeqqaError } from "../../model/errors.ts";
import type { CheckpointChoice, SystemScope } from "../../model/system.ts";
import { UnfollowedAction } from "./cascades.ts";
import { readCatalog, type Catalog } from "./catalog.ts";
import { Control } from "./control.ts";
import { CopyMode } from "./copy-mode.ts";
import { isDenied, safeCause } from "./failures.ts";
import { installed, installedToken } from "./install.ts";
import { triggerStatements } from "./journal-sql.ts";
import { JournalMode } from "./journal-mode.ts";
import type { MysqlMode } from "./mode.ts";
import { putBackAndUninstall } from "./recover.ts";
import { recoverCopy } from "./copy-shadow.ts";
import { select } from "./selection.ts";
import type { StoreUrl } from "./store-url.ts";

export type MysqlCheckpoint = "auto" | "journal" | "savepoint" | "copy";

export interface Choosing {
  readonly store: StoreUrl;
  readonly wanted: MysqlCheckpoint;
  readonly scope: SystemScope;
  readonly tables: readonly string[] | undefined;
  /** The same store's, closed for a restart of the target. */
  readonly previous: MysqlMode | undefined;
}

export interface Chosen {
  readonly mode: MysqlMode;
  readonly choice: CheckpointChoice;
}

/** @throws SeqqaError when what is wanted cannot be, or the database cannot be reached. */
export async function chooseMode(choosing: Choosing): Promise<Chosen> {
  const { store, wanted, scope, tables, previous } = choosing;
  if (wanted === "savepoint") {
    throw new SeqqaError("CHECKPOINT_NOT_SUPPORTED", `Checkpoint mode "savepoint" of ${store.shown} is not available for MySQL.`, {
      hint: "Leave `checkpoint` on auto: the journal puts back what a target in this process writes on connections of its own, too.",
      exitStatus: 2,
    });
  }
  const control = await Control.open(store);
  try {
    const goesOn = previous instanceof JournalMode && (await installedToken(control)) !== undefined;
    // What a dead run left in a user's own store: its data first.
    if (scope.borrowed && !goesOn && (await installed(control))) {
      await recoverCopy(control);
      await putBackAndUninstall(control);
    }
    const catalog = await readCatalog(control);
    if (catalog.strange.length > 0) throw strangeStore(store, catalog.strange[0]!);
    const selection = select(store, catalog.tables, tables);
    const obstacle = wanted === "copy" ? undefined : journalObstacle(catalog);
    if (wanted !== "copy" && obstacle === undefined) {
      try {
        const before = previous instanceof JournalMode ? previous : undefined;
        const mode = await JournalMode.open(control, catalog, { selection, borrowed: scope.borrowed, previous: before });
        const why = wanted === "journal" ? "asked for" : "the target has connections of its own";
        return { mode, choice: { mode: "journal", why } };
      } catch (error) {
        if (!isDenied(error)) throw error;
        throw notAllowed(store, error);
      }
    }
    const mode = await CopyMode.open(control, selection, scope.borrowed, previous instanceof CopyMode ? previous : undefined);
    return { mode, choice: { mode: "copy", why: obstacle === undefined ? "asked for" : `the journal cannot be used: ${obstacle}` } };
  } catch (error) {
    await control.close();
    if (error instanceof SeqqaError) throw error;
    throw isDenied(error) ? notAllowed(store, error) : safeCause(store, error);
  }
}

/** Why this database cannot be journalled, or `undefined`. */
export function journalObstacle(catalog: Catalog): string | undefined {
  if (catalog.unjournalled.length > 0) return catalog.unjournalled[0];
  try {
    triggerStatements(catalog);
    return undefined;
  } catch (error) {
    if (error instanceof UnfollowedAction) return error.message;
    throw error;
  }
}

function strangeStore(store: StoreUrl, what: string): SeqqaError {
  return new SeqqaError("STORE_NOT_SUPPORTED", `The database ${store.shown} cannot be put back: ${what}.`, {
    hint: "Leave it out of the database, or use another way of putting back: a `reset` hook, or `target.rollback: restart`.",
    exitStatus: 2,
  });
}

function notAllowed(store: StoreUrl, error: unknown): SeqqaError {
  const cause = safeCause(store, error);
  return new SeqqaError(
    "STORE_NOT_ALLOWED",
    `The user that connects to ${store.shown} may not install what puts it back: ${cause.message}.`,
    {
      hint: "Grant it TRIGGER, CREATE, DROP, SELECT, INSERT, UPDATE and DELETE on the database; with the binary log on, set log_bin_trust_function_creators = 1.",
      exitStatus: 2,
      cause,
    },
  );
}
