import DatabaseConstructor from "better-sqlite3";
import { Pool } from "undici";
import { serveFixture, serveScript, type ServedFile } from "../support/served-file.ts";
import type { MeasuredSide } from "./measured-side.ts";

/** Number of requests after which the ledger is emptied. With this number, as in an exploration, many requests are accepted and many are refused. */
const WALK = 24;
const PATHS = ["/orders", ...[1, 2, 3].flatMap((order) => ["pay", "ship", "refund", "cancel"].map((verb) => `/orders/${order}/${verb}`))];

/**
 * Sends the requests of the ledger's 13 actions in a loop on one connection of undici, and reads each body. The order of the requests is
 * pseudo-random and the same in every run. Nothing is checked, observed, recorded or restored. Every {@link WALK} requests, the ledger is emptied
 * directly in its file; this time is not counted.
 */
export async function bareRequests(steps: number): Promise<MeasuredSide> {
  return loop(await serveFixture("ledger"), steps);
}

/** Runs the same loop against a server that answers every request at once. The result shows the cost of HTTP alone on this machine. */
export async function bareServer(steps: number): Promise<MeasuredSide> {
  return loop(await serveScript("bench/peers/bare-server.mjs"), steps);
}

async function loop(served: ServedFile, steps: number): Promise<MeasuredSide> {
  const pool = new Pool(served.origin, { connections: 1, pipelining: 1 });
  const db = new DatabaseConstructor(served.file);
  try {
    // A server without a store has created no table.
    db.exec("CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY)");
    const empty = db.prepare("DELETE FROM orders");
    let accepted = 0;
    let ms = 0;
    let drawn = 1;
    for (let sent = 0; sent < steps;) {
      empty.run();
      const start = performance.now();
      for (let inWalk = 0; inWalk < WALK && sent < steps; inWalk++, sent++) {
        // Park and Miller's generator, which gives the same requests in every round.
        drawn = (drawn * 48_271) % 2_147_483_647;
        const { statusCode, body } = await pool.request({ method: "POST", path: PATHS[drawn % PATHS.length]! });
        await body.text();
        if (statusCode < 300) accepted++;
      }
      ms += performance.now() - start;
    }
    return { steps, ms, accepted: accepted / steps };
  } finally {
    db.close();
    await pool.close();
    await served.stop();
  }
}
