import { randomBytes } from "node:crypto";
import pg from "pg";
import { postgresUrl } from "../../../../support/services.ts";
import { postgres } from "../../../../support/services/kinds.ts";
import { find } from "../../../../support/services/service.ts";

/** Databases of one test file, with names that nobody else has. */
export class Databases {
  readonly prefix: string = `seqqa_test_${randomBytes(4).toString("hex")}`;
  readonly base: string;
  /** Kills a server of our own and starts it again. */
  readonly restart: () => Promise<void>;
  readonly #stop: () => Promise<void>;
  #admin: pg.Client;
  #made = 0;

  private constructor(base: string, restart: () => Promise<void>, stop: () => Promise<void>) {
    this.base = base;
    this.restart = async () => {
      await restart();
      await this.#connect();
    };
    this.#stop = stop;
    this.#admin = new pg.Client();
  }

  /** On the server that all tests share. */
  static async open(): Promise<Databases> {
    const nothing = (): Promise<void> => Promise.resolve();
    return new Databases(await postgresUrl(), nothing, nothing).#connect();
  }

  /** On a server that nobody else uses. */
  static async own(): Promise<Databases> {
    const found = await find(postgres, { running: false });
    if (found.kind === "missing") throw new Error(found.problem);
    return new Databases(found.url, found.restart ?? found.stop, found.stop).#connect();
  }

  async #connect(): Promise<this> {
    for (let left = 100; ; left--) {
      this.#admin = this.#client("postgres");
      try {
        await this.#admin.connect();
        return this;
      } catch (error) {
        // It may still be starting.
        if (left === 0) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  /** Not by a URL, in which the driver does not decode every character. */
  #client(database: string): pg.Client {
    const { hostname, port, username, password } = new URL(this.base);
    const client = new pg.Client({ host: hostname, port: Number(port), user: username, password: decodeURIComponent(password), database });
    client.on("error", () => undefined);
    return client;
  }

  get admin(): pg.Client {
    return this.#admin;
  }

  url(name: string): string {
    return `${this.base}/${encodeURIComponent(name)}`;
  }

  /** A new database; returns its name. */
  async create(statements: readonly string[] = [], template = "template1", name = `${this.prefix}_${this.#made++}`): Promise<string> {
    await this.admin.query(`create database ${pg.escapeIdentifier(name)} template ${pg.escapeIdentifier(template)}`);
    if (statements.length > 0) await this.within(name, (client) => client.query(statements.join(";\n")));
    return name;
  }

  async within<T>(name: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = this.#client(name);
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
    await this.#stop();
  }
}
