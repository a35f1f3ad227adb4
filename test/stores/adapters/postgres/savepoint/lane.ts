import { PostgresAdapter, type PostgresAdapterOptions } from "../../../../../src/adapters/postgres/index.ts";
import type { Databases } from "./databases.ts";

/** An adapter in savepoint mode on a database of its own, at its root. */
export class Lane {
  readonly name: string;
  readonly adapter: PostgresAdapter;
  readonly connection: PostgresAdapter["connection"];

  private constructor(name: string, adapter: PostgresAdapter) {
    this.name = name;
    this.adapter = adapter;
    this.connection = adapter.connection;
  }

  static async open(
    databases: Databases,
    statements: readonly string[],
    { borrowed = false, ...options }: Partial<PostgresAdapterOptions> & { readonly borrowed?: boolean } = {},
  ): Promise<Lane> {
    const name = await databases.create(statements);
    const lane = new Lane(name, new PostgresAdapter({ url: databases.url(name), ...options }));
    await lane.adapter.open({ name: "db", laneIndex: 0, inProcess: true, borrowed });
    await lane.adapter.root();
    return lane;
  }

  async rows(sql: string): Promise<unknown[]> {
    const { rows } = await this.connection.query<Record<string, unknown>>(sql);
    return rows.map((row) => (Object.keys(row).length === 1 ? Object.values(row)[0] : row));
  }
}
