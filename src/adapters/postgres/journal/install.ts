import { randomUUID } from "node:crypto";
import { OURS, rowsOf, type Catalog } from "../schema/catalog.ts";
import type { Control } from "../connect/control.ts";
import { installStatements, type JournalOptions } from "./journal-sql.ts";
import { readOwnerFacts } from "../put-back/owner-facts.ts";

/**
 * Creates the undo log and its triggers in one transaction. Replaces the undo log and triggers of an earlier run. @returns a token that identifies
 * this journal
 */
export async function install(
  control: Control,
  catalog: Catalog,
  how: Pick<JournalOptions, "borrowed" | "gated">,
  limitMs?: number,
): Promise<string> {
  const token = randomUUID();
  const { rights } = control;
  const facts = rights.superuser ? undefined : await readOwnerFacts(control.client);
  const statements = installStatements(catalog, { ...how, token, rights, facts });
  await control.patiently(() => control.transaction(() => control.rows(statements.join(";\n"))), limitMs);
  return token;
}

export async function isInstalled(control: Control, token: string): Promise<boolean> {
  const [there] = await rowsOf<[string]>(control.client, `select 'yes' where to_regclass('${OURS}.owner') is not null`);
  if (there === undefined) return false;
  return (await control.rows(`select 1 from ${OURS}.owner where token = $1`, [token])).length > 0;
}
