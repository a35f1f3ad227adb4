import type { Schemas } from "../../model/stores/ignored.ts";
import type { ObservedTable } from "../../model/stores/store-adapter.ts";
import { keyColumn } from "../oracle/fresh-ids.ts";

type Columns = ObservedTable["columns"];

/** The columns whose numbers a counter of a store generates (`serial`, AUTO_INCREMENT), as `system.table.column`. */
export class SerialColumns {
  readonly #fields: ReadonlySet<string>;

  constructor(schemas: Schemas) {
    this.#fields = new Set(
      [...schemas].flatMap(([system, tables]) =>
        tables.flatMap(({ name, counters = [] }) => counters.map(({ column }) => `${system}.${name}.${column}`)),
      ),
    );
  }

  /** Returns the columns of a table, with the mark {@link ObservedColumn.serial}. @param tables All observed tables of the store. */
  marked(system: string, table: ObservedTable, tables: readonly ObservedTable[]): Columns {
    if (this.#fields.size === 0) return table.columns;
    return table.columns.map((column) => {
      const { references } = column;
      const owner = references === undefined ? table : tables.find(({ name }) => name === references.table);
      const name = references?.column ?? column.name;
      if (owner === undefined || !this.#fields.has(`${system}.${owner.name}.${name}`)) return column;
      return owner.columns[keyColumn(owner)]?.name === name ? column : { ...column, serial: `${owner.name}.${name}` };
    });
  }
}
