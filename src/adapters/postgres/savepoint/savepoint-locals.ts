import type { Client } from "pg";
import type { LocalSetting } from "./savepoint-statements.ts";
import { quoteText } from "../connect/sql-text.ts";

const NO: ReadonlySet<unknown> = new Set([false, "false", "f", "no", "off", "0", 0]);

/**
 * Remembers the values that settings had before SET LOCAL. COMMIT resets such settings, but releasing a savepoint does not reset them. The statements
 * of `restore` therefore set the old values again.
 */
export class LocalSettings {
  readonly #before = new Map<string, string | null>();

  /** Reads and remembers the current values of the settings that a statement will change with SET LOCAL. */
  async note(client: Client, locals: readonly LocalSetting[], values: readonly unknown[]): Promise<void> {
    for (const { name, onlyIf } of locals) {
      const setting = typeof name === "string" ? name : values[name - 1];
      if (typeof setting !== "string" || this.#before.has(setting.toLowerCase())) continue;
      if (onlyIf !== undefined && NO.has(values[onlyIf - 1])) continue;
      const { rows } = await client.query<{ v: string | null }>("select current_setting($1, true) as v", [setting]);
      this.#before.set(setting.toLowerCase(), rows[0]?.v ?? null);
    }
  }

  /** Returns the SQL statements that set the settings back. A setting that did not exist before becomes empty, as after a COMMIT. */
  restore(): string[] {
    const calls = [...this.#before]
      .toReversed()
      .map(([name, value]) => `pg_catalog.set_config(${quoteText(name)}, ${quoteText(value ?? "")}, true)`);
    return calls.length === 0 ? [] : [`select ${calls.join(", ")}`];
  }

  forget(): void {
    this.#before.clear();
  }
}
