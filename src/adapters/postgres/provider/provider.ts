import type { Client } from "pg";
import { SeqqaError } from "../../../model/errors.ts";
import type { StoreProvider, StoreProviderOptions } from "../../../model/stores/store-provider.ts";
import { afterLoss } from "../../../stores/after-loss.ts";
import { DatabaseNames } from "../../../stores/database-names.ts";
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

/** Gives every lane a database of its own on the template's server, copied from a copy that is made once for the run. */
export class PostgresProvider implements StoreProvider {
  readonly #store: StoreUrl;
  readonly #runId: string;
  readonly #names: DatabaseNames;
  readonly #server: Server;
  #begun = false;
  #closed = false;

  constructor({ name, url, runId }: StoreProviderOptions) {
    this.#store = storeUrl(url);
    this.#runId = runId;
    this.#names = new DatabaseNames(runId, name, NAMING);
    // The sign of life comes before anything is made, so that a living run's databases are never seen without it.
    this.#server = new Server(this.#store, (client) => claim(client, runId));
  }

  prepare(): Promise<void> {
    return this.#use("copy the template", async (client) => {
      // Databases of others that cannot be removed do not keep this run from its work.
      await sweepDeadRuns(client, this.#store, { ownRun: this.#runId, failed: () => undefined });
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
      this.#begun = true;
      await dropDatabase(client, this.#store, this.#names.template);
      await copyTemplate(client, this.#store, this.#names.template);
    });
  }

  provide(lane: number, generation: number): Promise<string> {
    return this.#use("make a lane's database", async (client) => {
      await this.#drop(client, (name) => name.startsWith(this.#names.ofLane(lane)));
      const name = this.#names.lane(lane, generation);
      await createFrom(client, this.#store, this.#names.template, name);
      for (const statement of await templateSettings(client, this.#store.database, name))
        await client.query(statement).catch(onlyForbidden);
      // A lane is thrown away after a crash: nobody has to wait for the disk.
      await client.query(`alter database ${quoteName(name)} set synchronous_commit = off`);
      return withDatabase(this.#store, name).href;
    });
  }

  session(): Promise<string> {
    return this.#use("identify the session", async (client) => {
      const { rows } = await client.query<{ session: string }>(
        "select concat(pg_backend_pid(), ' ', pg_postmaster_start_time()) as session",
      );
      return rows[0]!.session;
    });
  }

  release(lane: number): Promise<void> {
    return this.#use("remove a lane's database", (client) => this.#drop(client, (name) => name.startsWith(this.#names.ofLane(lane))));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    try {
      // If nothing was made, the server may be one that never answered.
      if (this.#begun) await this.#use("remove the lanes' databases", (client) => this.#drop(client, (name) => this.#names.owns(name)));
      this.#closed = true;
    } finally {
      await this.#server.close();
    }
  }

  /** Removes databases of the run. A lane's checkpoints may have made some beside its own, so the server is asked which ones exist. */
  async #drop(client: Client, which: (name: string) => boolean): Promise<void> {
    for (const name of (await databaseNames(client)).filter(which)) await dropDatabase(client, this.#store, name);
  }

  async #use<T>(doing: string, work: (client: Client) => Promise<T>): Promise<T> {
    try {
      // Each piece of work first removes what is left of it.
      return await afterLoss(() => this.#server.use(work), isLost);
    } catch (error) {
      throw provideError(this.#store, doing, error);
    }
  }
}

/** Ignores settings that a role may not make: they are those of the server's owner, and the target does without them, as it would elsewhere. */
function onlyForbidden(error: unknown): void {
  if ((error as { code?: unknown }).code !== "42501") throw error;
}
