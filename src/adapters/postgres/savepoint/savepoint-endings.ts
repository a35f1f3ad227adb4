import { quoteName, quoteText } from "../connect/sql-text.ts";

/** An object that COMMIT removes or empties: a cursor or a temporary table. */
export interface Ending {
  readonly kind: "cursor" | "temporary table" | "temporary rows";
  readonly name: string;
}

/**
 * Imitates effects of COMMIT that releasing a savepoint does not have. COMMIT closes cursors, and drops or empties temporary tables with ON COMMIT.
 */
export class Endings {
  #once: Ending[] = [];
  readonly #always = new Map<string, Ending>();

  note(ending: Ending): void {
    if (ending.kind === "temporary rows") this.#always.set(ending.name, ending);
    else this.#once.push(ending);
  }

  /** Forgets the remembered objects, because their creation was rolled back. */
  forget(): void {
    this.#once = [];
  }

  /**
   * Returns the SQL statements that imitate a COMMIT. Afterwards remembers only tables with ON COMMIT DELETE ROWS, because every COMMIT empties such
   * tables.
   */
  take(): string[] {
    const endings = [...this.#once, ...this.#always.values()];
    this.#once = [];
    return endings.length === 0 ? [] : [`do ${quoteText(`begin ${endings.map(statementOf).join(" ")} end`)}`];
  }
}

/** Returns an SQL statement that removes or empties one object. The statement does nothing if the object no longer exists. */
function statementOf({ kind, name }: Ending): string {
  const table = `pg_temp.${quoteName(name)}`;
  const there = `if pg_catalog.to_regclass(${quoteText(table)}) is not null then`;
  switch (kind) {
    case "cursor":
      return `if exists (select from pg_catalog.pg_cursors where name = ${quoteText(name)}) then execute ${quoteText(`close ${quoteName(name)}`)}; end if;`;
    case "temporary table":
      return `${there} execute ${quoteText(`drop table ${table}`)}; end if;`;
    case "temporary rows":
      return `${there} execute ${quoteText(`delete from ${table}`)}; end if;`;
  }
}
