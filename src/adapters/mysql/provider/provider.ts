import type { StoreProviderOptions } from "../../../model/stores/store-provider.ts";
import { SeqqaError } from "../../../model/errors.ts";
import { DatabaseProvider } from "../../../stores/provider/database-provider.ts";
import { requireNotInPlace } from "../../../stores/external/external-store.ts";
import { inPlaceRun } from "../journal/recover.ts";
import { databaseNames, dropDatabase } from "./databases.ts";
import { copySchema, enabledEvents } from "../copy/copy-schema.ts";
import { NAMING } from "./provider-names.ts";
import { Server, type Ask, type Beside } from "../connect/server.ts";
import { named } from "../connect/sql-text.ts";
import { storeUrl, withDatabase, type StoreUrl } from "../connect/store-url.ts";
import { claim, sweepDeadRuns } from "./sweep.ts";

interface Session {
  readonly ask: Ask;
  readonly beside: Beside;
}

/** Creates a lane's database by copying the schema and rows of the template with SQL statements. */
export class MysqlProvider extends DatabaseProvider<Session> {
  readonly #store: StoreUrl;
  readonly #server: Server;
  /** `true` after the template was copied completely. A copy may lack rows if the connection was lost during the copying. */
  #isTemplateWhole = false;
  /** The names of the events that are enabled in the lanes. In the run's template, all events are disabled. */
  #events: ReadonlySet<string> = new Set();

  constructor(options: StoreProviderOptions) {
    super(options, NAMING);
    this.#store = storeUrl(options.url);
    // Take the run's lock before creating databases. Without the lock, other runs would drop the databases.
    this.#server = new Server(this.#store, (ask) => claim(ask, this.runId));
  }

  prepare(): Promise<void> {
    return this.use("copy the template", async (session) => {
      // The run continues if a database of a dead run cannot be dropped.
      await sweepDeadRuns(session.ask, session.beside, { ownRun: this.runId, failed: () => undefined });
      if (this.single) await this.#begin(session);
      else await this.#copyTemplate(session);
    });
  }

  async #begin({ ask }: Session): Promise<void> {
    if (!(await isThere(ask, this.#store.database))) throw templateMissing(this.#store);
    requireNotInPlace(`the database ${this.#store.shown}`, await inPlaceRun(ask, this.#store.database));
    this.begun = true;
  }

  async #copyTemplate(session: Session): Promise<void> {
    await this.#begin(session);
    this.#isTemplateWhole = false;
    await this.remove(session, this.names.template);
    this.#events = await enabledEvents(session.ask, this.#store.database);
    // The server would execute enabled events in the template, too, and the lanes would begin with the changes.
    await copySchema(session.ask, this.#store.database, this.names.template, { isInUse: true, isEnabled: () => false });
    this.#isTemplateWhole = true;
  }

  provide(lane: number, generation: number): Promise<string> {
    return this.use("create a lane's database", async (session) => {
      await this.removeOfLane(session, lane);
      const name = this.names.lane(lane, generation);
      // While the connection was lost, nobody held the run's lock. Another run may have dropped the template, so create it again.
      if (!this.single && (!this.#isTemplateWhole || !(await isThere(session.ask, this.names.template)))) await this.#copyTemplate(session);
      if (this.single) await copySchema(session.ask, this.#store.database, name, { isInUse: true });
      else await copySchema(session.ask, this.names.template, name, { isEnabled: (event) => this.#events.has(event) });
      return withDatabase(this.#store, name).href;
    });
  }

  session(): Promise<string> {
    return this.use("identify the session", async ({ ask }) => {
      const [row] = await ask("select coalesce(@seqqa_session, @seqqa_session := uuid())");
      return row![0]!;
    });
  }

  protected use<T>(doing: string, work: (session: Session) => Promise<T>): Promise<T> {
    return this.#server.use(doing, (ask, beside) => work({ ask, beside }));
  }

  protected databases({ ask }: Session): Promise<readonly string[]> {
    return databaseNames(ask);
  }

  protected remove({ ask, beside }: Session, database: string): Promise<void> {
    return dropDatabase(ask, database, beside);
  }

  protected endServer(): Promise<void> {
    return this.#server.close();
  }
}

async function isThere(ask: Ask, database: string): Promise<boolean> {
  return (await ask(`select 1 from information_schema.schemata where ${named("schema_name", database)}`)).length > 0;
}

function templateMissing({ shown, database }: StoreUrl): SeqqaError {
  return new SeqqaError(
    "STORE_MISSING",
    `The database "${database}" does not exist at ${shown}. seqqa copies this database for every lane.`,
    {
      hint: "Check the name of the database in the store's URL. Or create the database and run the target's migrations on it.",
      exitStatus: 2,
    },
  );
}
