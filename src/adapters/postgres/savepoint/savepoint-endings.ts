import { quoteName, quoteText } from "../connect/sql-text.ts";

/** An object that COMMIT ends or empties. */
export interface Ending {
  readonly kind: "cursor" | "temporary table" | "temporary rows";
  readonly name: string;
}

/** The effects of COMMIT that releasing a savepoint does not have: cursors are closed, and temporary tables with ON COMMIT are dropped or emptied. */
export class Endings {
  #once: Ending[] = [];
  readonly #always = new Map<string, Ending>();

  note(ending: Ending): void {
    if (ending.kind === "temporary rows") this.#always.set(ending.name, ending);
    else this.#once.push(ending);
  }

  /** Forgets objects that were created in a transaction that was rolled back. */
  forget(): void {
    this.#once = [];
  }

  /** Returns the statements for a COMMIT. Afterwards only the tables with ON COMMIT DELETE ROWS are left. */
  take(): string[] {
    const endings = [...this.#once, ...this.#always.values()];
    this.#once = [];
    return endings.length === 0 ? [] : [`do ${quoteText(`begin ${endings.map(statementOf).join(" ")} end`)}`];
  }
}

/** Returns a statement for one object. It does nothing if a rollback or the target has removed the object. */
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
