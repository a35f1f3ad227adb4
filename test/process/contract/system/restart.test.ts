import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { cloneSqliteFile, SqliteAdapter } from "../../../../src/adapters/sqlite/index.ts";
import { TargetRestart } from "../../../../src/lane/bring-up/target-restart.ts";
import { WorldState } from "../../../../src/lane/state/world-state.ts";
import type { WorldSnapshot, SavedWorld } from "../../../../src/lane/state/saved-world.ts";
import type { CheckpointChoice, Checkpoint, Observed, StoreAdapter, StoreTraits } from "../../../../src/model/stores/store-adapter.ts";
import { World } from "../../../../src/model/declare/world.ts";
import { TargetHost } from "../../../../src/targets/index.ts";
import { CACHING_SERVER } from "../../../support/caching-server.ts";
import { size } from "../../../sizes.ts";
import type { Random } from "../../../contract/system/random.ts";
import { systemContract, type Subject } from "../../../contract/system/system-contract.ts";

const folder = mkdtempSync(join(tmpdir(), "seqqa-restart-"));
writeFileSync(join(folder, "server.mjs"), CACHING_SERVER);
let host: Promise<TargetHost> | undefined;
afterAll(async () => {
  await (await host)?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A store and the process that has it cached, put back together: what is compared is the file and what the API says of it. */
class RestartedStore implements StoreAdapter {
  readonly name = "restarted";
  readonly checkpoint: CheckpointChoice = { mode: "restart", why: "the contract of target.rollback: restart" };
  readonly traits: StoreTraits = { portable: true, commits: true };
  readonly #state: WorldState;
  readonly #restart: TargetRestart;
  readonly #url: string;

  constructor(db: SqliteAdapter, lane: number, url: string, targets: TargetHost) {
    this.#state = new WorldState(new World({ systems: { db } }) as unknown as World<never, never>);
    this.#restart = new TargetRestart({ halt: () => targets.halt(lane), start: () => targets.start(lane) }, this.#state);
    this.#url = url;
  }

  get #db(): StoreAdapter {
    return this.#state.systems[0]!;
  }

  open(): void {
    // Opened already.
  }

  root(): Promise<Observed> {
    return Promise.resolve(this.#db.root());
  }

  mark(): Promise<Checkpoint> {
    return Promise.resolve(this.#state.mark());
  }

  changed(mark: Checkpoint): Promise<boolean> {
    return Promise.resolve(this.#state.changed(mark as SavedWorld));
  }

  async restore(mark: Checkpoint): Promise<void> {
    await this.#restart.around(async () => {
      await this.#state.restore(mark as SavedWorld);
      return mark as SavedWorld;
    });
  }

  observe(): Promise<Observed> {
    return Promise.resolve(this.#db.observe());
  }

  capture(): Promise<unknown> {
    return Promise.resolve(this.#state.capture());
  }

  async write(image: unknown): Promise<void> {
    await this.#restart.around(async () => {
      await this.#state.write(image as WorldSnapshot);
      return this.#state.mark();
    });
  }

  async dump(): Promise<string> {
    const served = await (await fetch(this.#url)).text();
    return `${await this.#db.dump()}\nserved ${served}`;
  }

  async close(): Promise<void> {
    await this.#db.close();
  }
}

async function lane(index: number): Promise<Subject> {
  host ??= TargetHost.create(
    {
      folder,
      target: { command: "node server.mjs", env: { PORT: "{port}", DB_PATH: "{db_path}" }, rollback: "restart" },
    },
    { directory: folder, cloneStore: cloneSqliteFile },
  );
  const targets = await host;
  const { baseUrl, dbPath } = await targets.provision(index);
  const db = new SqliteAdapter({ file: dbPath! });
  await db.open({ name: "db", laneIndex: index, inProcess: false, borrowed: false });
  const system = new RestartedStore(db, index, baseUrl, targets);
  const write = async (random: Random): Promise<void> => {
    const method = random.pick(["PUT", "PUT", "DELETE", "PATCH"]);
    const answer = await fetch(`${baseUrl}/${1 + random.below(6)}`, { method });
    await answer.arrayBuffer();
    if (answer.status >= 500) throw new Error(`The target does not know its own rows: ${answer.status}`);
  };
  return { system, write, close: () => system.close() };
}

describe("restart, a target that caches its rows", () => {
  systemContract({ lane, cycles: size(3, 200), seed: 31 });
});
