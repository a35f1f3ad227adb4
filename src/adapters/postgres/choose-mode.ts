import { SeqqaError } from "../../model/errors.ts";
import type { CheckpointChoice, SystemScope } from "../../model/system.ts";
import { readCatalog } from "./catalog.ts";
import { CloneMode } from "./clone-mode.ts";
import { Control } from "./control.ts";
import { JournalMode } from "./journal-mode.ts";
import type { LentConnection } from "./lent-connection.ts";
import type { PostgresMode } from "./mode.ts";
import { journalObstacle } from "./obstacles.ts";
import { installed, putBackAndUninstall } from "./recover.ts";
import { SavepointMode } from "./savepoint-mode.ts";
import { select } from "./selection.ts";
import type { StoreUrl } from "./store-url.ts";

export type PostgresCheckpoint = "auto" | "journal" | "savepoint" | "clone";

export interface Choosing {
  readonly store: StoreUrl;
  readonly wanted: PostgresCheckpoint;
  readonly scope: SystemScope;
  readonly schemas: readonly string[] | undefined;
  readonly tables: readonly string[] | undefined;
  /** The connection that the target has taken already. */
  readonly lent: LentConnection | undefined;
  readonly lend: () => LentConnection;
  /** The same store's, closed for a restart of the target. */
  readonly previous: PostgresMode | undefined;
}

export interface Chosen {
  readonly mode: PostgresMode;
  readonly choice: CheckpointChoice;
}

/** @throws SeqqaError when what is wanted cannot be, or the database cannot be reached. */
export async function chooseMode(choosing: Choosing): Promise<Chosen> {
  const { store, wanted, scope, lent } = choosing;
  // Who took the connection runs in this process, whichever way the target was made.
  const inProcess = scope.inProcess || lent !== undefined;
  if (wanted === "savepoint" && !inProcess) {
    throw new SeqqaError("SAVEPOINT_OUT_OF_PROCESS", `Checkpoint mode "savepoint" of ${store.shown} needs a target in this process.`, {
      hint: "A savepoint undoes only what was done on its own connection: use `target.module`, or leave `checkpoint` on auto.",
      exitStatus: 2,
    });
  }
  await recoverClone(choosing);
  if (wanted === "savepoint" || (wanted === "auto" && lent !== undefined)) return savepoint(choosing);
  return wanted === "clone" ? clone(choosing, "asked for") : journalOrClone(choosing);
}

async function savepoint(choosing: Choosing): Promise<Chosen> {
  const { store, schemas, tables, scope, wanted } = choosing;
  const mode = await SavepointMode.open({ store, core: choosing.lend().core, borrowed: scope.borrowed, schemas, tables });
  const why = wanted === "savepoint" ? "asked for" : "the target runs in this process and took the adapter's connection";
  return { mode, choice: { mode: "savepoint", why } };
}

async function journalOrClone(choosing: Choosing): Promise<Chosen> {
  const { store, scope, schemas, tables, previous } = choosing;
  const control = await openControl(store);
  let obstacle: string | undefined;
  try {
    if (typeof control !== "string") {
      // What a dead run left in a user's own store: its data first.
      if (scope.borrowed && (await installed(control))) await putBackAndUninstall(control);
      const catalog = await readCatalog(control.client);
      const selection = select(store, catalog, schemas, tables);
      obstacle = await journalObstacle(control.client, catalog);
      if (obstacle === undefined) {
        const mode = await JournalMode.open(control, catalog, {
          selection,
          borrowed: scope.borrowed,
          gated: scope.gated === true,
          previous: previous instanceof JournalMode ? previous : undefined,
        });
        const own = scope.inProcess
          ? "the target runs in this process, but works on connections of its own"
          : "the target has connections of its own";
        return { mode, choice: { mode: "journal", why: choosing.wanted === "journal" ? "asked for" : own } };
      }
    } else {
      obstacle = control;
    }
  } catch (error) {
    if (typeof control !== "string") await control.close();
    throw error;
  }
  if (typeof control !== "string") await control.close();
  return clone(choosing, `the journal cannot be used: ${obstacle}`);
}

/** The role of replicas is for superusers: others are told in time. */
async function openControl(store: StoreUrl): Promise<Control | string> {
  try {
    return await Control.open(store, true);
  } catch (error) {
    if (error instanceof SeqqaError && (error.cause as { code?: unknown } | undefined)?.code === "42501") {
      return "its role is no superuser, which replica role and event triggers need";
    }
    throw error;
  }
}

async function clone(choosing: Choosing, why: string): Promise<Chosen> {
  const { store, scope, schemas, tables, previous } = choosing;
  const mode = await CloneMode.open({
    store,
    borrowed: scope.borrowed,
    schemas,
    tables,
    previous: previous instanceof CloneMode ? previous : undefined,
  });
  return { mode, choice: { mode: "clone", why } };
}

/** A run that was killed in the middle of a put-back by clone may have left no database at all. */
async function recoverClone({ store, scope }: Choosing): Promise<void> {
  if (scope.borrowed) await CloneMode.recover(store);
}
