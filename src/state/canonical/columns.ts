import type { ObservedColumn, ObservedTable } from "../../model/stores/store-adapter.ts";
import type { RowKind } from "./row-kinds.ts";
import { columnRule, type Rules } from "../values/rules.ts";

/** A treatment that is the same for a column in all rows of the table. */
export type PlainMode = Exclude<ColumnMode, { readonly kind: "mask_some" }>;

export type ColumnMode =
  | { readonly kind: "plain" }
  | { readonly kind: "ignore" }
  | { readonly kind: "mask" }
  /** Values are masked in rows of the given kinds. In all other rows, `other` is the treatment of the values. */
  | { readonly kind: "mask_some"; readonly kinds: readonly RowKind[]; readonly other: PlainMode }
  /** The column contains integer keys, or refers to such keys. The integers are renamed like generated ids. `domain`: the column with the keys. */
  | { readonly kind: "symmetric"; readonly domain: string }
  /** The column is a primary key on its own, or a foreign key. A number in this column that looks like a time counts as an id. */
  | { readonly kind: "key" };

export interface TablePlan {
  readonly prefix: string;
  readonly modes: readonly ColumnMode[];
  readonly plain: boolean;
  readonly columns: readonly ObservedColumn[];
}

/** Decides for each table how its columns are treated. Decisions are cached, because adapters return the same columns repeatedly. */
export class TablePlans {
  readonly #rules: Rules;
  readonly #symmetric: ReadonlySet<string> | "keys";
  readonly #plans = new Map<string, Map<string, TablePlan>>();

  /** @param symmetric The columns (`table.column`) whose integers are renamed; `keys`: every primary key that is a single column. */
  constructor(rules: Rules, symmetric: readonly string[] | "keys") {
    this.#rules = rules;
    this.#symmetric = symmetric === "keys" ? symmetric : new Set(symmetric);
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
      const kinds = [`${system}.${table.name}.${column.name}`, `${table.name}.${column.name}`].flatMap(
        (field) => this.#rules.kinds.get(field) ?? [],
      );
      return kinds.length === 0 ? other : { kind: "mask_some", kinds, other };
    });
    return {
      prefix: `R${system.length}:${system}${table.name.length}:${table.name}`,
      modes,
      plain: modes.every((mode) => mode.kind === "plain"),
      columns: table.columns,
    };
  }

  /** @param keys The number of columns in the primary key. */
  #unmasked(system: string, table: string, column: ObservedColumn, keys: number): PlainMode {
    const domain = this.#domain(system, table, column, column.key === true && keys === 1);
    if (domain !== undefined) return { kind: "symmetric", domain: `s:${system.length}:${system}${domain}` };
    return { kind: column.references !== undefined || (column.key === true && keys === 1) ? "key" : "plain" };
  }

  #domain(system: string, table: string, column: ObservedColumn, isKey: boolean): string | undefined {
    const symmetric = this.#symmetric;
    const target = column.references;
    const fields = [`${table}.${column.name}`, ...(target === undefined ? [] : [`${target.table}.${target.column}`])];
    if (symmetric === "keys") return isKey || target !== undefined ? fields.at(-1) : undefined;
    if (symmetric.size === 0) return undefined;
    // Try the column that a foreign key refers to before the column itself. A listed column with a foreign key then has the same ids as the
    // referenced table.
    return fields.reverse().find((field) => symmetric.has(field) || symmetric.has(`${system}.${field}`));
  }
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
