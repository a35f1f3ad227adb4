import type { StoreProvider, StoreProviderOptions } from "../../../model/stores/store-provider.ts";
import { SeqqaError } from "../../../model/errors.ts";
import { DatabaseNames } from "../../../stores/database-names.ts";
import { databaseNames, dropDatabase } from "./databases.ts";
import { copySchema } from "../copy/copy-schema.ts";
import { NAMING } from "./provider-names.ts";
import { Server, type Ask, type Beside } from "../connect/server.ts";
import { named } from "../connect/sql-text.ts";
import { storeUrl, withDatabase, type StoreUrl } from "../connect/store-url.ts";
import { claim, sweepDeadRuns } from "./sweep.ts";

/** Gives every lane a database of its own on the template's server, copied from a copy that is made once for the run. */
export class MysqlProvider implements StoreProvider {
  readonly #store: StoreUrl;
  readonly #names: DatabaseNames;
  readonly #runId: string;
  readonly #server: Server;
  #begun = false;
  #closed = false;

  constructor({ name, url, runId }: StoreProviderOptions) {
    this.#store = storeUrl(url);
    this.#runId = runId;
    this.#names = new DatabaseNames(runId, name, NAMING);
    // The sign of life comes before anything is made, so that a living run's databases are never seen without it.
    this.#server = new Server(this.#store, (ask) => claim(ask, runId));
  }

  prepare(): Promise<void> {
    return this.#server.use("copy the template", async (ask, beside) => {
      // Databases of others that cannot be removed do not keep this run from its work.
      await sweepDeadRuns(ask, beside, { ownRun: this.#runId, failed: () => undefined });
      await this.#copyTemplate(ask, beside);
    });
  }

  async #copyTemplate(ask: Ask, beside: Beside): Promise<void> {
    if (!(await isThere(ask, this.#store.database))) throw templateMissing(this.#store);
    this.#begun = true;
    await dropDatabase(ask, this.#names.template, beside);
    await copySchema(ask, this.#store.database, this.#names.template);
  }

  provide(lane: number, generation: number): Promise<string> {
    return this.#server.use("make a lane's database", async (ask, beside) => {
      await this.#drop(ask, beside, (name) => name.startsWith(this.#names.ofLane(lane)));
      // Another run may have removed the template in the moment in which the session that shows this run to be alive was lost.
      if (!(await isThere(ask, this.#names.template))) await this.#copyTemplate(ask, beside);
      const name = this.#names.lane(lane, generation);
      await copySchema(ask, this.#names.template, name);
      return withDatabase(this.#store, name).href;
    });
  }

  session(): Promise<string> {
    return this.#server.use("identify the session", async (ask) => {
      const [row] = await ask("select coalesce(@seqqa_session, @seqqa_session := uuid())");
      return row![0]!;
    });
  }

  release(lane: number): Promise<void> {
    return this.#server.use("remove a lane's database", (ask, beside) =>
      this.#drop(ask, beside, (name) => name.startsWith(this.#names.ofLane(lane))),
    );
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    try {
      // If nothing was made, the server may be one that never answered.
      if (this.#begun)
        await this.#server.use("remove the lanes' databases", (ask, beside) => this.#drop(ask, beside, (name) => this.#names.owns(name)));
      this.#closed = true;
    } finally {
      await this.#server.close();
    }
  }

  async #drop(ask: Ask, beside: Beside, which: (name: string) => boolean): Promise<void> {
    for (const name of (await databaseNames(ask)).filter(which)) if (this.#names.owns(name)) await dropDatabase(ask, name, beside);
  }
}

async function isThere(ask: Ask, database: string): Promise<boolean> {
  return (await ask(`select 1 from information_schema.schemata where ${named("schema_name", database)}`)).length > 0;
}

function templateMissing({ shown, database }: StoreUrl): SeqqaError {
  return new SeqqaError("STORE_MISSING", `There is no database "${database}" at ${shown}, which is the template of every lane's store.`, {
    hint: "Check the name, or create it and let the target's migrations fill it.",
    exitStatus: 2,
  });
}
