import { OURS } from "./catalog.ts";
import { FIRST } from "./catalog-text.ts";
import { quoteText } from "../connect/sql-text.ts";

/** System catalogs that are compared by the number of rows and the sum of their transaction ids. Each entry: name, oid column, optional condition. */
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

/** System catalogs that are compared by content. A restore disables and enables triggers and rules, which gives their rows new transaction ids. */
const CONTENT: readonly (readonly [catalog: string, condition?: string])[] = [["pg_trigger"], ["pg_rewrite", "x.ev_type <> '1'"]];

const and = (condition: string | undefined): string => (condition === undefined ? "" : ` and ${condition}`);

/**
 * A CREATE FUNCTION statement for the function `shape`, which detects schema changes in databases without seqqa's event triggers. The result of
 * `shape` is different after every schema change, and can also be different without one. PostgreSQL changes a catalog row by writing a new version
 * with the id of a later transaction. Every change therefore affects the number of rows or the sum of their transaction ids.
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

/** The text of a log entry for a schema change that was found by comparing the system catalogs, so that its statement is unknown. */
export const SHAPE_CHANGED = "a statement that changed the catalog";
