import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { World, type Lane, type WorldCheckpoint } from "seqqa";
import { dumpDatabase } from "../dump-database.ts";

/** Longer than the period of the server's fastest jobs, which finish then what the last calls left them to do. */
const QUIET_MS = 1500;

/**
 * A world that goes back to its root state at its end, whatever state the run left it in, and writes what its lane's database holds before
 * and after that, while it is still there: two files in the folder that REAL_DUMPS names.
 */
export class LaneWorld<C extends object> extends World<C> {
  readonly #lane: Lane;
  #root: WorldCheckpoint | undefined;

  constructor(lane: Lane) {
    super({ systems: lane.systems as never });
    this.#lane = lane;
  }

  /** To be called in the root state first. */
  async keepRoot(): Promise<boolean> {
    this.#root ??= await this.checkpoint();
    return true;
  }

  override async close(): Promise<void> {
    const folder = process.env["REAL_DUMPS"];
    if (this.#root !== undefined && folder !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      const { index, dbUrl } = this.#lane;
      const database = new URL(dbUrl!).pathname.slice(1);
      const started = Date.now();
      const write = async (when: string): Promise<void> =>
        writeFileSync(join(folder, `lane${index}-${started}-${database}.${when}.txt`), await dumpDatabase(dbUrl!));
      await write("before");
      await this.rollback(this.#root);
      // The server is still running, and its jobs with it.
      await write("after");
    }
    await super.close();
  }
}
