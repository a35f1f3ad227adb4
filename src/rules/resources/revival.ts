import type { StoresView } from "../../model/declare/rule.ts";
import { tablesWithNewRows } from "../store-changes.ts";
import type { Kind } from "./resource-paths.ts";

/** Matches names of columns that mark a row as deleted, without `_`. A column such as `active` may also say that a row is published. */
const MARK =
  /^(?:is)?(?:deleted|removed|destroyed|gone|trashed|discarded|erased|purged|archived|revoked|cancell?ed|terminated)(?:at|on|time|date|timestamp)?$|^deletiontimestamp$/;
const STATE = /^(?:status|state)$/;
const DELETED_TEXT = /"[^"]*(?:delet|remov|destroy|trash|archiv|revok|cancel|terminat)[^"]*"/i;

/**
 * Decides from the changes of the stores if a step revived a deleted item of a resource. Returns `true` if the step added a row to the table of the
 * resource, or cleared the deletion mark of a row in it. Returns `false` if the step did neither, for example because it only published the item or
 * added a member to it. Returns `undefined` if no table with the name of the resource changed since the root state.
 */
export function isRevived(before: StoresView, after: StoresView, kind: Kind): boolean | undefined {
  const columns = [...before.changedFields(after)].map(parts);
  const tables = [...new Set([...before.tables.keys(), ...after.tables.keys()])];
  const own = tables.filter((table) => isTableOf(kind, table, columns));
  if (own.length === 0) return undefined;
  const fresh = tablesWithNewRows(before, after);
  if (own.some((table) => fresh.includes(table))) return true;
  const updated = before.changedRows(after).fields.map(parts);
  return own.some((table) => {
    const names = updated.filter((one) => table.endsWith(`.${one.table}`)).map(({ column }) => plain(column));
    const wasDeleted = [...(before.tables.get(table) ?? [])].some(
      ([row, count]) => count > (after.tables.get(table)?.get(row) ?? 0) && DELETED_TEXT.test(row),
    );
    return names.some((name) => MARK.test(name) || (wasDeleted && STATE.test(name)));
  });
}

interface Column {
  readonly table: string;
  readonly column: string;
}

function parts(field: string): Column {
  const at = field.lastIndexOf(".");
  return { table: field.slice(0, at), column: field.slice(at + 1) };
}

/**
 * Returns `true` for the table of a resource, by its name: `customers` or `app_customers` for the resource `customer`. A table whose name only ends in
 * this way and that refers to the resource, such as `user_groups` with `group_id`, is the table of another resource.
 */
function isTableOf({ resource, collection }: Kind, table: string, columns: readonly Column[]): boolean {
  const called = singular(table.slice(table.lastIndexOf(".") + 1));
  const names = [resource.name, collection.text.split("/").findLast((part) => part !== "" && !part.startsWith("{")) ?? ""].map(singular);
  return names.some((name) => {
    if (name === "" || !called.endsWith(name)) return false;
    const refers = (one: Column): boolean => table.endsWith(`.${one.table}`) && singular(one.column) === `${name}id`;
    return called === name || !columns.some(refers);
  });
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
const singular = (name: string): string => plain(name).replace(/(?<=.)(?:ies|es|s)$/, "");
