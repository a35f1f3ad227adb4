import { randomBytes } from "node:crypto";
import pg from "pg";
import { postgresUrl } from "../../../../support/services.ts";

/** Databases of one test file, with names that nobody else has. */
export class Databases {
  readonly prefix: string = `seqqa_test_${randomBytes(4).toString("hex")}`;
  readonly admin: pg.Client;
  readonly #base: string;
  #made = 0;

  private constructor(admin: pg.Client, base: string) {
    this.admin = admin;
    this.#base = base;
  }

  static async open(): Promise<Databases> {
    const base = await postgresUrl();
    const admin = new pg.Client({ connectionString: `${base}/postgres` });
    await admin.connect();
    return new Databases(admin, base);
  }

  url(name: string): string {
    return `${this.#base}/${encodeURIComponent(name)}`;
  }

  /** A new database; returns its name. */
  async create(statements: readonly string[] = [], template = "template1", name = `${this.prefix}_${this.#made++}`): Promise<string> {
    await this.admin.query(`create database ${pg.escapeIdentifier(name)} template ${pg.escapeIdentifier(template)}`);
    if (statements.length > 0) await this.within(name, (client) => client.query(statements.join(";\n")));
    return name;
  }

  async within<T>(name: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.url(name) });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  async names(like: string): Promise<string[]> {
    const { rows } = await this.admin.query<{ datname: string }>("select datname from pg_database where datname like $1 order by 1", [
      like,
    ]);
    return rows.map(({ datname }) => datname);
  }

  async drop(name: string): Promise<void> {
    await this.admin.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
  }

  async close(): Promise<void> {
    for (const name of await this.names(`%${this.prefix}%`)) await this.drop(name);
    await this.admin.end();
  }
}
