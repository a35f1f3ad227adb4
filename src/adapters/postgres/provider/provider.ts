import type { Client } from "pg";
import { SeqqaError } from "../../../model/errors.ts";
import type { StoreProviderOptions } from "../../../model/stores/store-provider.ts";
import { afterLoss } from "../../../stores/after-loss.ts";
import { DatabaseProvider } from "../../../stores/database-provider.ts";
import { sweepDeadRuns } from "./clean-sweep.ts";
import { isLost } from "../connect/failures.ts";
import { claim } from "./heartbeat.ts";
import { databaseNames, dropDatabase } from "./provider-drop.ts";
import { provideError } from "./provider-failures.ts";
import { NAMING } from "./provider-names.ts";
import { Server } from "./provider-server.ts";
import { quoteName } from "../connect/sql-text.ts";
import { storeUrl, withDatabase, type StoreUrl } from "../connect/store-url.ts";
import { copyTemplate, createFrom, templateFacts } from "./template.ts";
import { templateSettings } from "./template-settings.ts";

/** Creates a lane's database with `CREATE DATABASE ... TEMPLATE`, or with pg_dump if the template is in use. */
export class PostgresProvider extends DatabaseProvider<Client> {
  readonly #store: StoreUrl;
  readonly #server: Server;

  constructor(options: StoreProviderOptions) {
    super(options, NAMING);
    this.#store = storeUrl(options.url);
    // The run takes its lock first, so that other runs never see its databases without the lock.
    this.#server = new Server(this.#store, (client) => claim(client, this.runId));
  }

  prepare(): Promise<void> {
    return this.use("copy the template", async (client) => {
      // A dead run's database that cannot be dropped does not stop this run.
      await sweepDeadRuns(client, this.#store, { ownRun: this.runId, failed: () => undefined });
      const facts = await templateFacts(client, this.#store);
      if (!facts.createDb) {
        throw new SeqqaError(
          "STORE_NOT_ALLOWED",
          `The role that connects to ${this.#store.shown} may not create databases, which lanes need.`,
          {
            hint: "ALTER ROLE ... CREATEDB, or let one lane work on the database itself: start the target yourself and name it by base_url.",
            exitStatus: 2,
          },
        );
      }
      this.begun = true;
      await this.remove(client, this.names.template);
      await copyTemplate(client, this.#store, this.names.template);
    });
  }

  provide(lane: number, generation: number): Promise<string> {
    return this.use("make a lane's database", async (client) => {
      await this.removeOfLane(client, lane);
      const name = this.names.lane(lane, generation);
      await createFrom(client, this.#store, this.names.template, name);
      for (const statement of await templateSettings(client, this.#store.database, name))
        await client.query(statement).catch(onlyForbidden);
      // After a crash of the server a lane's database is not used again, so commits need not wait for the disk.
      await client.query(`alter database ${quoteName(name)} set synchronous_commit = off`);
      return withDatabase(this.#store, name).href;
    });
  }

  session(): Promise<string> {
    return this.use("identify the session", async (client) => {
      const { rows } = await client.query<{ session: string }>(
        "select concat(pg_backend_pid(), ' ', pg_postmaster_start_time()) as session",
      );
      return rows[0]!.session;
    });
  }

  protected async use<T>(doing: string, work: (client: Client) => Promise<T>): Promise<T> {
    try {
      // The work can be repeated, because it first removes what an interrupted try left.
      return await afterLoss(() => this.#server.use(work), isLost);
    } catch (error) {
      throw provideError(this.#store, doing, error);
    }
  }

  protected databases(client: Client): Promise<readonly string[]> {
    return databaseNames(client);
  }

  protected remove(client: Client, database: string): Promise<void> {
    return dropDatabase(client, this.#store, database);
  }

  protected endServer(): Promise<void> {
    return this.#server.close();
  }
}

/** Ignores settings that the role may not set. Only the server's owner could, and the target works without them. */
function onlyForbidden(error: unknown): void {
  if ((error as { code?: unknown }).code !== "42501") throw error;
}
