import { MysqlAdapter, type MysqlAdapterOptions } from "../../../../../src/adapters/mysql/index.ts";
import { admin, databaseUrl, newDatabase } from "../../../../contract/system/mysql-databases.ts";

/** An adapter in savepoint mode on a database of its own, at its root. */
export class Lane {
  readonly database: string;
  readonly adapter: MysqlAdapter;
  readonly connection: MysqlAdapter["connection"];

  private constructor(database: string, adapter: MysqlAdapter) {
    this.database = database;
    this.adapter = adapter;
    this.connection = adapter.connection;
  }

  static async open(
    statements: readonly string[],
    { borrowed = false, ...options }: Partial<MysqlAdapterOptions> & { readonly borrowed?: boolean } = {},
  ): Promise<Lane> {
    const database = await newDatabase(statements);
    const lane = new Lane(database, new MysqlAdapter({ url: await databaseUrl(database), ...options }));
    await lane.adapter.open({ name: "db", laneIndex: 0, inProcess: true, borrowed });
    await lane.adapter.root();
    return lane;
  }

  /** The first column of each row. */
  async values(sql: string): Promise<unknown[]> {
    const [rows] = await this.connection.query(sql);
    return (rows as Record<string, unknown>[]).map((row) => Object.values(row)[0]);
  }

  /** The only value of a query by another session. */
  async apartValue(sql: string): Promise<unknown> {
    const [row] = (await this.apart(sql)) as Record<string, unknown>[];
    return Object.values(row ?? {})[0];
  }

  /** By another session. */
  apart(sql: string): Promise<unknown> {
    return admin(async (connection) => (await connection.query(sql))[0], this.database);
  }
}
