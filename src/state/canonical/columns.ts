import type { ObservedColumn, ObservedTable, StoredValue } from "../../model/stores/store-adapter.ts";
import type { Piece } from "./pieces.ts";
import { hasKinds, isOfKind } from "./row-kinds.ts";
import { Generated, Mixed } from "../values/named.ts";
import { fieldOf, singular } from "../values/places.ts";
import { columnRule, type KindRule, type Rules } from "../values/rules.ts";

/** A treatment that is the same for a column in all rows of the table. */
export type PlainMode = Exclude<ColumnMode, { readonly kind: "by_row" }>;

export type ColumnMode =
  | { readonly kind: "plain" }
  | { readonly kind: "ignore" }
  | { readonly kind: "mask" }
  /** Values are left out or masked in rows of some kinds. In all other rows, `other` is the treatment of the values. */
  | { readonly kind: "by_row"; readonly rules: readonly KindRule[]; readonly other: PlainMode }
  /** The column contains integer keys, or refers to such keys. The integers are renamed like generated ids. `domain`: the column with the keys. */
  | { readonly kind: "symmetric"; readonly domain: string }
  /**
   * The column has no foreign key, but its name suggests that its numbers refer to keys that are renamed. A key that equals one of these numbers is
   * therefore not renamed.
   */
  | { readonly kind: "pins"; readonly isKey: boolean }
  /** The column is a whole primary key, or a foreign key. A number in this column counts as an id, even if the number looks like a time. */
  | { readonly kind: "key" };

export interface TablePlan {
  readonly prefix: string;
  readonly modes: readonly ColumnMode[];
  readonly plain: boolean;
  readonly columns: readonly ObservedColumn[];
  /** Returns `true` if the key of a row is one column, and the step that inserted the row generated its value. */
  readonly hasOwnKey: (row: readonly unknown[]) => boolean;
}

/** Decides for each table how its columns are treated. Decisions are cached, because adapters return the same columns repeatedly. */
export class TablePlans {
  readonly #rules: Rules;
  readonly #symmetric: ReadonlySet<string> | "keys";
  /** The names of the tables whose keys are renamed, in the singular. */
  readonly #tables: readonly string[];
  readonly #plans = new Map<string, Map<string, TablePlan>>();

  /** @param symmetric The columns (`table.column`) whose integers are renamed; `keys`: every primary key that is a single column. */
  constructor(rules: Rules, symmetric: readonly string[] | "keys") {
    this.#rules = rules;
    this.#symmetric = symmetric === "keys" ? symmetric : new Set(symmetric);
    this.#tables = symmetric === "keys" ? [] : symmetric.map((field) => singular(field.split(".").at(-2) ?? field));
  }

  of(system: string, table: ObservedTable): TablePlan {
    let plans = this.#plans.get(system);
    if (plans === undefined) this.#plans.set(system, (plans = new Map()));
    const known = plans.get(table.name);
    if (known !== undefined && sameColumns(known.columns, table.columns)) return known;
    const plan = this.#plan(system, table);
    plans.set(table.name, plan);
    return plan;
  }

  #plan(system: string, table: ObservedTable): TablePlan {
    const keys = table.columns.filter((column) => column.key === true).length;
    const modes = table.columns.map((column): ColumnMode => {
      const rule = columnRule(this.#rules, system, table.name, column.name);
      if (rule !== undefined) return { kind: rule };
      const other = this.#unmasked(system, table.name, column, keys);
      const rules = [`${system}.${table.name}.${column.name}`, `${table.name}.${column.name}`].flatMap((field) =>
        (this.#rules.kinds.get(field) ?? []).filter(({ kind }) => hasKinds(table.columns, kind)),
      );
      return rules.length === 0 ? other : { kind: "by_row", rules, other };
    });
    return {
      prefix: `R${system.length}:${system}${table.name.length}:${table.name}`,
      modes,
      plain: modes.every((mode) => mode.kind === "plain"),
      columns: table.columns,
      hasOwnKey: ownKeyOf(table, keys),
    };
  }

  /** @param keys The number of columns in the primary key. */
  #unmasked(system: string, table: string, column: ObservedColumn, keys: number): PlainMode {
    const domain = this.#domain(system, table, column, column.key === true && keys === 1);
    if (domain !== undefined) return { kind: "symmetric", domain: `s:${system.length}:${system}${domain}` };
    const isKey = column.key === true && keys === 1;
    if (column.references === undefined && this.#isNamedAfterTable(column.name)) return { kind: "pins", isKey };
    return { kind: column.references !== undefined || isKey ? "key" : "plain" };
  }

  /** Returns `true` for names such as `order_id` if keys of the table `orders` are renamed. */
  #isNamedAfterTable(column: string): boolean {
    const name = column.toLowerCase();
    return name.endsWith("id") && this.#tables.some((table) => name.includes(table));
  }

  #domain(system: string, table: string, column: ObservedColumn, isKey: boolean): string | undefined {
    const symmetric = this.#symmetric;
    const target = column.references;
    const fields = [`${table}.${column.name}`, ...(target === undefined ? [] : [`${target.table}.${target.column}`])];
    if (symmetric === "keys") return isKey || target !== undefined ? fields.at(-1) : undefined;
    if (symmetric.size === 0) return undefined;
    // Try the column to which a foreign key refers before the column itself. A listed column with a foreign key then has the same ids as the
    // referenced table.
    return fields.reverse().find((field) => symmetric.has(field) || symmetric.has(`${system}.${field}`));
  }
}

/** Returns the treatment of the value that one row has in a column. */
export function modeIn(
  mode: ColumnMode,
  row: readonly StoredValue[],
  columns: readonly ObservedColumn[],
  piecesOf: (text: string) => readonly Piece[] | null,
): PlainMode {
  if (mode.kind !== "by_row") return mode;
  const found = mode.rules.filter(({ kind }) => isOfKind(row, columns, kind, piecesOf));
  return found.length === 0 ? mode.other : { kind: found.some(({ rule }) => rule === "ignore") ? "ignore" : "mask" };
}

function sameColumns(a: readonly ObservedColumn[], b: readonly ObservedColumn[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    const x = a[i]!;
    const y = b[i]!;
    if (
      x.name !== y.name ||
      x.key !== y.key ||
      x.references?.table !== y.references?.table ||
      x.references?.column !== y.references?.column
    )
      return false;
  }
  return true;
}

/** A value that refers to a row of another table keeps the place where it was generated, so that it does not count as the row's own key. */
function ownKeyOf({ name, columns }: ObservedTable, keys: number): TablePlan["hasOwnKey"] {
  const at = keys === 1 ? columns.findIndex((column) => column.key === true) : -1;
  const field = `${name}.${columns[at]?.name}`;
  const isOwn = (part: unknown): boolean => part instanceof Generated && part.origin !== undefined && fieldOf(part.origin.domain) === field;
  return (row) => {
    const key = row[at];
    return key instanceof Mixed ? key.parts.some(isOwn) : isOwn(key);
  };
}
