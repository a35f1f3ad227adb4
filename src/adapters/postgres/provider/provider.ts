import type { Client } from "pg";
import { SeqqaError } from "../../../model/errors.ts";
import type { StoreProviderOptions } from "../../../model/stores/store-provider.ts";
import { afterLoss } from "../../../stores/connect/after-loss.ts";
import { DatabaseProvider } from "../../../stores/provider/database-provider.ts";
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

/** Creates a lane's database with `CREATE DATABASE ... TEMPLATE`, or with pg_dump if sessions use the template. */
export class PostgresProvider extends DatabaseProvider<Client> {
  readonly #store: StoreUrl;
  readonly #server: Server;

  constructor(options: StoreProviderOptions) {
    super(options, NAMING);
    this.#store = storeUrl(options.url);
    // Take the run's lock before creating databases. Without the lock, other runs would drop the databases.
    this.#server = new Server(this.#store, (client) => claim(client, this.runId));
  }

  prepare(): Promise<void> {
    return this.use("copy the template", async (client) => {
      // The run continues if a database of a dead run cannot be dropped.
      await sweepDeadRuns(client, this.#store, { ownRun: this.runId, failed: () => undefined });
      const facts = await templateFacts(client, this.#store);
      if (!facts.createDb) {
        throw new SeqqaError(
          "STORE_NOT_ALLOWED",
          `The role in the URL of ${this.#store.shown} is not allowed to create databases, but each lane needs its own database.`,
          {
            hint: "Grant the privilege (ALTER ROLE ... CREATEDB). Or let one lane use the database itself: start the target yourself, and set base_url to the URL of the target.",
            exitStatus: 2,
          },
        );
      }
      this.begun = true;
      if (this.single) return;
      await this.remove(client, this.names.template);
      await copyTemplate(client, this.#store, this.names.template);
    });
  }

  provide(lane: number, generation: number): Promise<string> {
    return this.use("create a lane's database", async (client) => {
      await this.removeOfLane(client, lane);
      const name = this.names.lane(lane, generation);
      if (this.single) await copyTemplate(client, this.#store, name);
      else await createFrom(client, this.#store, this.names.template, name);
      for (const statement of await templateSettings(client, this.#store.database, name))
        await client.query(statement).catch(onlyForbidden);
      // Commits need not wait for the disk, because no run uses a lane's database after a crash of the server.
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
      // Call `work` again if the connection was lost. A second call is safe, because `work` first removes the remains of an interrupted call.
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

/**
 * Ignores an error about a missing right to change a setting or grant a privilege, because the target also works without the setting or privilege.
 * Throws all other errors.
 */
function onlyForbidden(error: unknown): void {
  if ((error as { code?: unknown }).code !== "42501") throw error;
}
