import { OURS } from "./catalog.ts";
import { FIRST } from "./catalog-text.ts";
import { quoteText } from "../connect/sql-text.ts";

/** Catalogs, their column of ids, and a condition. */
const WRITTEN: readonly (readonly [catalog: string, id: string, condition?: string])[] = [
  ["pg_class", "oid", "x.relpersistence <> 't'"],
  ["pg_attribute", "attrelid", "x.attnum > 0"],
  ["pg_attrdef", "oid"],
  ["pg_constraint", "oid"],
  ["pg_index", "indexrelid"],
  ["pg_proc", "oid"],
  ["pg_type", "oid"],
  ["pg_enum", "oid"],
  ["pg_sequence", "seqrelid"],
  ["pg_policy", "oid"],
  ["pg_inherits", "inhrelid"],
  ["pg_namespace", "oid"],
  ["pg_extension", "oid"],
  ["pg_rewrite", "oid", "x.ev_type = '1'"],
];

/** Catalogs that a restore itself changes, and changes back: their content counts. */
const CONTENT: readonly (readonly [catalog: string, condition?: string])[] = [["pg_trigger"], ["pg_rewrite", "x.ev_type <> '1'"]];

const and = (condition: string | undefined): string => (condition === undefined ? "" : ` and ${condition}`);

/**
 * Makes the function that returns another text after each change of the schema; a new text does not always mean a change. For sessions that may not
 * have event triggers. Whatever changes a row of a catalog writes a new version of it, by a later transaction: the number of rows and the sum of
 * their transactions cannot be what they were before.
 */
export const SHAPE_FUNCTION: string = `create function ${OURS}.shape() returns text language plpgsql as ${quoteText(`
begin
  return concat_ws(' ', ${[
    ...WRITTEN.map(
      ([catalog, id, condition]) =>
        `(select count(*) || ':' || coalesce(sum(x.xmin::text::bigint), 0) from ${catalog} x where x.${id} >= ${FIRST}${and(condition)})`,
    ),
    ...CONTENT.map(
      ([catalog, condition]) =>
        `(select count(*) || ':' || coalesce(sum(hashtextextended(x::text, 0)), 0) from ${catalog} x where x.oid >= ${FIRST}${and(condition)})`,
    ),
  ].join(",\n    ")});
end`)}`;

/** Takes the place of a statement in the log where only the catalog shows the change. */
export const SHAPE_CHANGED = "a statement that changed the catalog";
