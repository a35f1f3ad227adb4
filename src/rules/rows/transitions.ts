import type { ApiClient } from "../../model/http/client.ts";
import type { Values } from "../../model/context/context.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { Rule } from "../../model/declare/rule.ts";
import { writesOf } from "../requests.ts";
import { requireList } from "../rule-options.ts";
import { changeRule } from "./changed-rows.ts";
import type { RowRuleOptions } from "./row-rules.ts";
import { keyColumns, rowsByKey, type KeyedRow } from "./row-key.ts";
import { cellOf, columnName } from "./table-names.ts";

/** Options of {@link transitions}. */
export interface TransitionsOptions extends RowRuleOptions {
  /** The column that identifies a row, or a list of columns that identify it together: `["order_id", "line"]`. Default: `id`. */
  readonly key?: string | readonly string[];
  /** The values that a new row may have. Default: any. */
  readonly initial?: readonly string[];
}

/**
 * Checks that the values of a column change only as listed: `transitions("orders.status", { created: ["paid", "cancelled"], paid: ["shipped"] })`.
 * Severity: HIGH. A value without an entry is final. The rule is judged after every step that changed something. Rows are compared by their key with
 * the state before the step. A step with several writing requests is allowed one transition for each request. Deleted rows are not judged.
 * @throws SeqqaError `RULE_INVALID` if the column is not written as `table.column`, or if the transitions are not lists of values. The judgement of a
 * step throws the same error if two rows have the same key.
 */
export function transitions<C extends object = Values, A = ApiClient>(
  column: string,
  allowed: Readonly<Record<string, readonly string[]>>,
  { key, initial, ...options }: TransitionsOptions = {},
): Rule<C, A> {
  const rule = `transitions("${column}")`;
  const at = columnName(rule, column);
  const keyed = keyColumns(rule, at.table, key);
  const lists = Object.values(allowed ?? {});
  if (lists.length === 0 || !lists.every((list) => Array.isArray(list) && list.every((one) => typeof one === "string"))) {
    throw new SeqqaError("RULE_INVALID", `${rule}: each transition must be a list of values.`, {
      exitStatus: 2,
      hint: 'Write for example: { created: ["paid", "cancelled"], paid: ["shipped"] }',
    });
  }
  requireList(rule, "initial", initial, '["created"]');
  return changeRule(rule, ["transitions", at], options, {
    read: async (names) => rowsByKey(names, keyed, [at]),
    judge: (before, now, { action, answers }) => {
      const steps = Math.max(1, writesOf(answers).length);
      const valueOf = ({ row }: KeyedRow): string => String(cellOf(row, at.column));
      const wrong = [...now].flatMap(([id, one]) => {
        const earlier = before.get(id);
        const [old, value] = [earlier && valueOf(earlier), valueOf(one)];
        const isAllowed = old === undefined ? (initial?.includes(value) ?? true) : leads(allowed, old, value, steps);
        return isAllowed ? [] : [{ ...one.key, from: old ?? null, to: value }];
      });
      if (wrong.length === 0) return true;
      const [first] = wrong;
      const from = first!["from"] === null ? "began as" : `went from ${String(first!["from"])} to`;
      return {
        ok: false,
        actual: wrong.slice(0, MOST_ROWS),
        expected: { ...(initial !== undefined && { initial }), ...allowed },
        message: `${action.name}: a row of ${at.table} ${from} ${String(first!["to"])}`,
      };
    },
  });
}

const MOST_ROWS = 20;

/** Returns `true` if a value can change to another value in at most `most` allowed transitions. */
function leads(allowed: Readonly<Record<string, readonly string[]>>, from: string, to: string, most: number): boolean {
  let reached = new Set([from]);
  for (let step = 0; step <= most; step++) {
    if (reached.has(to)) return true;
    reached = new Set([...reached].flatMap((value) => (Object.hasOwn(allowed, value) ? allowed[value]! : [])));
  }
  return false;
}
