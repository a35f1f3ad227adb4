import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { World, type ApiClient, type Lane, type WorldCheckpoint } from "seqqa";
import { dumpDatabase } from "../dump-database.ts";

/** Longer than the period of the server's fastest jobs, which do then what the last call left them to do. */
const QUIET_MS = 2000;
const FLAGS = "/api/admin/projects/default/features";

/**
 * A world that makes one more flag at its end, whatever state the run left it in, gives the server's jobs time to follow it up, and goes back
 * to its root state. What its lane's database holds before and after that is written, while it is still there: two files in the folder that
 * REAL_DUMPS names.
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
      // Of a lane that was lost, the server may have ended.
      await (this.api as unknown as ApiClient).post(FLAGS, { json: { name: "left_over", type: "release" } }).catch(() => undefined);
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
