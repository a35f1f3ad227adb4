import { OURS } from "./catalog.ts";
import { FIRST } from "./catalog-text.ts";
import { quoteText } from "../connect/sql-text.ts";

/** Catalogs whose rows are compared by number and transaction ids: name, column with the oid, and a condition. */
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

/** Catalogs that are compared by content, because a restore itself changes them and changes them back. */
const CONTENT: readonly (readonly [catalog: string, condition?: string])[] = [["pg_trigger"], ["pg_rewrite", "x.ev_type <> '1'"]];

const and = (condition: string | undefined): string => (condition === undefined ? "" : ` and ${condition}`);

/**
 * A function that returns a different text after each change of the schema, for sessions without event triggers. The text may also differ without
 * such a change. A changed catalog row is a new version from a later transaction, so the number of rows and the sum of their transaction ids differ.
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

/** The text of a log entry for a change that only the catalog shows, instead of its statement. */
export const SHAPE_CHANGED = "a statement that changed the catalog";
