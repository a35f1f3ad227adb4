import type { Catalog, ForeignKey, Table } from "../schema/catalog.ts";
import { imageOfRow, imageOfValue, type Column } from "./columns.ts";
import { TOO_LONG } from "./log-entries.ts";
import { quoteName } from "../connect/sql-text.ts";

/** The new value of a column as an SQL expression. In rows for which the condition `changed` is false, the column keeps its old value. */
interface Value {
  readonly sql: string;
  readonly changed?: string | undefined;
}

type Effect = "delete" | ReadonlyMap<string, Value>;

/** Returns an SQL condition on the rows of a table. The argument is the alias of the table in the query. */
type Condition = (alias: string) => string;

interface Hit {
  readonly effect: Effect;
  readonly when: Condition;
}

/** Thrown if the effects of a foreign key's action (e.g. CASCADE) cannot be computed before the action happens. */
export class UnfollowedAction extends Error {}

/**
 * Computes which rows of other tables change through foreign keys (e.g. ON DELETE CASCADE) if a row changes. InnoDB makes these changes without
 * firing triggers, so a BEFORE trigger of the parent table logs the changes in advance. A row that several foreign keys change is logged once, with
 * all effects.
 */
export class Cascades {
  readonly #catalog: Catalog;
  #hits = new Map<string, Hit[]>();
  #aliases = 0;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /**
   * Returns SQL statements that log which other rows a DELETE or UPDATE of the row OLD changes. The statements insert `(tab, note, grp, old, new)`
   * into the table `log`. Returns no statements if no other row can change.
   *
   * @throws UnfollowedAction
   */
  notes(parent: Table, event: "delete" | "update", log: string, group: string): string[] {
    this.#hits = new Map();
    this.#aliases = 0;
    if (event === "delete") this.#deleteOld(parent);
    else this.#updateOld(parent);
    return [...this.#hits].map(([name, hits]) => this.#note(parent, name, hits, log, group));
  }

  #deleteOld(parent: Table): void {
    const self = this.#selfDeletes(parent.name);
    for (const key of this.#keysTo(parent.name)) {
      if (!self.includes(key)) this.#act(key, "delete", (alias) => matchesRow(key, alias, "OLD"), [parent.name]);
    }
    if (self.length === 0) return;
    const below = this.#closure(parent.name, self, (alias) => self.map((key) => `(${matchesRow(key, alias, "OLD")})`).join(" or "));
    this.#hit(parent.name, { effect: "delete", when: below });
    this.#follow(parent.name, "delete", below, [parent.name], self);
  }

  #updateOld(parent: Table): void {
    // InnoDB cascades an update only if the bytes of the parent column change. Without such a change, a child value with another case (parent 'ann',
    // child 'ANN') keeps its case.
    const effect = new Map(
      parent.columns.map((column) => {
        const [old, now] = [`OLD.${quoteName(column.name)}`, `NEW.${quoteName(column.name)}`];
        return [column.name, { sql: now, changed: `${imageOfValue(column, old)} <> ${imageOfValue(column, now)}` }];
      }),
    );
    for (const key of this.#keysTo(parent.name)) {
      const changed = key.parentColumns.map((name) => effect.get(name)?.changed);
      if (changed.includes(undefined)) throw new UnfollowedAction(`foreign key "${key.name}" refers to a generated column`);
      this.#act(key, effect, (alias) => `${matchesRow(key, alias, "OLD")} and (${changed.join(" or ")})`, [parent.name]);
    }
  }

  #follow(table: string, effect: Effect, selected: Condition, path: readonly string[], except: readonly ForeignKey[] = []): void {
    for (const key of this.#keysTo(table)) {
      if (except.includes(key)) continue;
      this.#act(
        key,
        effect,
        (alias) => {
          const parent = `p${this.#aliases++}`;
          return `exists(select 1 from ${quoteName(table)} ${parent} where ${matchesRow(key, alias, parent)} and (${selected(parent)}))`;
        },
        path,
      );
    }
  }

  #act(key: ForeignKey, effect: Effect, when: Condition, path: readonly string[]): void {
    const action = effect === "delete" ? key.onDelete : key.onUpdate;
    if (action === "none") return;
    if (effect !== "delete" && !key.parentColumns.some((name) => effect.has(name))) return;
    let does: Effect = "delete";
    if (action === "null") does = new Map(key.childColumns.map((name) => [name, { sql: "NULL" }]));
    else if (effect !== "delete") {
      const moved = key.childColumns.map((name, i) => [name, effect.get(key.parentColumns[i]!)] as const);
      does = new Map(moved.filter((one): one is readonly [string, Value] => one[1] !== undefined));
    }
    if (does !== "delete") {
      // InnoDB refuses an UPDATE that would cascade to a table that the same cascade has already updated.
      if (effect !== "delete" && path.includes(key.child)) return;
      this.#hit(key.child, { effect: does, when });
      this.#follow(key.child, does, when, [...path, key.child]);
      return;
    }
    if (path.includes(key.child))
      throw new UnfollowedAction(
        `ON DELETE CASCADE forms a cycle over several tables, through foreign key "${key.name}" of table "${key.child}"`,
      );
    const self = this.#selfDeletes(key.child);
    const reached = self.length === 0 ? when : this.#closure(key.child, self, when);
    this.#hit(key.child, { effect: "delete", when: reached });
    this.#follow(key.child, "delete", reached, [...path, key.child], self);
  }

  /** Returns an SQL condition for the rows that match `start` and for all rows of the same table that refer to them, directly or indirectly. */
  #closure(table: string, self: readonly ForeignKey[], start: Condition): Condition {
    const columns = self[0]!.parentColumns;
    if (self.some((key) => key.parentColumns.join() !== columns.join()))
      throw new UnfollowedAction(`table "${table}" has foreign keys to itself that refer to different columns`);
    const list = (alias: string): string => columns.map((name) => `${alias}.${quoteName(name)}`).join(",");
    return (alias) => {
      const n = this.#aliases++;
      const [x, y, r] = [`x${n}`, `y${n}`, `seqqa_r${n}`];
      const names = columns.map((_, i) => `c${i}`);
      const below = self.map((key) => `(${key.childColumns.map((name, i) => `${y}.${quoteName(name)} = ${r}.c${i}`).join(" and ")})`);
      return `(${list(alias)}) in (with recursive ${r}(${names.join(",")}) as (select ${list(x)} from ${quoteName(table)} ${x} where ${start(x)}
 union select ${list(y)} from ${quoteName(table)} ${y} join ${r} on ${below.join(" or ")}) select ${names.join(",")} from ${r})`;
    };
  }

  #selfDeletes(table: string): ForeignKey[] {
    return this.#keysTo(table).filter((key) => key.child === table && key.onDelete === "cascade");
  }

  #keysTo(table: string): ForeignKey[] {
    return this.#catalog.keys.filter((key) => key.parent === table);
  }

  #hit(table: string, hit: Hit): void {
    this.#hits.set(table, [...(this.#hits.get(table) ?? []), hit]);
  }

  #note(parent: Table, name: string, hits: readonly Hit[], log: string, group: string): string {
    const index = this.#catalog.tables.findIndex((one) => one.name === name);
    const table = this.#catalog.tables[index]!;
    const when = hits.map(({ effect, when: condition }) => ({ effect, sql: condition("c") }));
    const deletes = when.filter(({ effect }) => effect === "delete").map(({ sql }) => sql);
    const old = imageOfRow(table.columns, (column) => `c.${quoteName(column.name)}`);
    const changed = changedImage(
      table.columns,
      when.filter((one): one is { effect: ReadonlyMap<string, Value>; sql: string } => one.effect !== "delete"),
    );
    const image = deletes.length === 0 ? changed : deletes.length === when.length ? "NULL" : `if(${deletes.join(" or ")},NULL,${changed})`;
    // Leave out the changed row itself, because its own trigger logs it.
    const others = name === parent.name ? ` and not (${sameRow(table)})` : "";
    const any = when.map(({ sql }) => `(${sql})`).join(" or ");
    return `insert into ${log}(tab,note,grp,old,new) select ${index},1,${group},${checked(old)},${image === "NULL" ? image : checkedOrNull(image, deletes.length > 0)} from ${table.sqlName} c where (${any})${others};`;
  }
}

/**
 * Returns an SQL expression for a row image, or `TOO_LONG` if the image is too long for the server. MySQL would replace such an image by NULL, and
 * NULL means that the row does not exist.
 */
export function checked(image: string): string {
  return `ifnull(${image},'${TOO_LONG}')`;
}

function checkedOrNull(image: string, nullable: boolean): string {
  return nullable ? image : checked(image);
}

function changedImage(columns: readonly Column[], hits: readonly { effect: ReadonlyMap<string, Value>; sql: string }[]): string {
  const values = columns.map((column) => {
    const cases = hits.map(({ effect, sql }) => {
      const value = effect.get(column.name);
      if (value === undefined) return "";
      const when = value.changed === undefined ? sql : `(${sql}) and (${value.changed})`;
      return ` when ${when} then ${value.sql === "NULL" ? "'-'" : imageOfValue(column, value.sql)}`;
    });
    const own = imageOfValue(column, `c.${quoteName(column.name)}`);
    return cases.every((one) => one === "") ? own : `case${cases.join("")} else ${own} end`;
  });
  return `concat_ws(',',${values.join(",")})`;
}

function matchesRow(key: ForeignKey, child: string, parent: string): string {
  return key.childColumns.map((name, i) => `${child}.${quoteName(name)} = ${parent}.${quoteName(key.parentColumns[i]!)}`).join(" and ");
}

function sameRow(table: Table): string {
  if (table.key.length === 0) throw new UnfollowedAction(`table "${table.name}" has a foreign key to itself, but no primary or unique key`);
  return table.key
    .map((at) => quoteName(table.columns[at]!.name))
    .map((name) => `c.${name} <=> OLD.${name}`)
    .join(" and ");
}
