import { SeqqaError } from "../../../model/errors.ts";
import type { Catalog, ForeignTable, Sequence, Table } from "../schema/catalog.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/** The tables and sequences that belong to the state. Restores also undo changes of other tables and sequences, which are not part of states. */
export interface Selection {
  readonly tables: (table: Table) => boolean;
  readonly sequences: (sequence: Sequence) => boolean;
}

/**
 * Returns functions that select these schemas and tables. @throws SeqqaError `TABLE_UNKNOWN`, `SCHEMA_UNKNOWN`, or `STORE_NOT_SUPPORTED` if a
 * selected table is a foreign table, whose rows are on another server
 */
export function select(
  store: StoreUrl,
  { tables: known, foreign }: Pick<Catalog, "tables" | "foreign" | "sequences">,
  schemas: readonly string[] | undefined,
  names: readonly string[] | undefined,
): Selection {
  const wanted = names?.map((name) => (name.startsWith("public.") ? name.slice("public.".length) : name));
  const elsewhere = foreign.find(
    ({ schema, name }) => (schemas === undefined || schemas.includes(schema)) && (wanted === undefined || wanted.includes(name)),
  );
  if (elsewhere !== undefined) throw notHere(store, elsewhere);
  const missing = wanted?.find((name) => !known.some((table) => table.name === name));
  if (missing !== undefined) {
    throw unknown("TABLE_UNKNOWN", `The option \`tables\` names "${missing}", but ${store.shown} has no such table.`, [
      ...new Set(known.map(({ name }) => name)),
    ]);
  }
  const strange = schemas?.find((schema) => !known.some((table) => table.schema === schema));
  if (strange !== undefined) {
    throw unknown("SCHEMA_UNKNOWN", `The option \`schemas\` names "${strange}", but ${store.shown} has no table in such a schema.`, [
      ...new Set(known.map(({ schema }) => schema)),
    ]);
  }
  const tables = (table: Table): boolean =>
    (schemas === undefined || schemas.includes(table.schema)) && (wanted === undefined || wanted.includes(table.name));
  const seen = new Set(known.filter(tables).map(({ name }) => name));
  return {
    tables,
    // A sequence belongs to the state if its owning table belongs to the state.
    sequences: ({ schema, ownedBy }) =>
      ownedBy === undefined
        ? wanted === undefined && (schemas === undefined || schemas.includes(schema))
        : seen.has(ownedBy) || !known.some(({ name }) => name === ownedBy),
  };
}

function notHere({ shown }: StoreUrl, { fullName, server }: ForeignTable): SeqqaError {
  return new SeqqaError(
    "STORE_NOT_SUPPORTED",
    `seqqa cannot restore the foreign table "${fullName}" of the database ${shown}, because its rows are on the server "${server}".`,
    {
      hint: "List all other tables in `tables`: seqqa then neither observes nor restores the foreign table. Or drop the foreign table from the database.",
      exitStatus: 2,
    },
  );
}

function unknown(code: string, message: string, there: readonly string[]): SeqqaError {
  const hint =
    there.length > 0
      ? `Use an existing name: ${there.slice(0, 30).join(", ")}.`
      : "The database has no tables. Create the tables before the run, or make the target create them before it answers target.ready.";
  return new SeqqaError(code, message, { hint, exitStatus: 2 });
}
