import { SeqqaError } from "../../../model/errors.ts";
import type { Table } from "../schema/catalog.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/** Returns `true` if a table belongs to the state. Other tables are restored, but their rows are not part of states. */
export type Selection = (table: Table) => boolean;

/** Returns a function that selects the tables with these names. @throws SeqqaError `TABLE_UNKNOWN` */
export function select(store: StoreUrl, known: readonly Table[], names: readonly string[] | undefined): Selection {
  const missing = names?.find((name) => !known.some((table) => table.name === name));
  if (missing !== undefined) {
    const hint =
      known.length > 0
        ? `Use the name of an existing table: ${known.map(({ name }) => name).slice(0, 30).join(", ")}.`
        : "The database has no tables. Create the tables before the run, or make the target create them before it answers target.ready."; // prettier-ignore
    throw new SeqqaError("TABLE_UNKNOWN", `The option \`tables\` names "${missing}", but ${store.shown} has no such table.`, {
      hint,
      exitStatus: 2,
    });
  }
  return (table) => names === undefined || names.includes(table.name);
}
