import type { Lane } from "seqqa";
import type { SqliteAdapter } from "seqqa/adapters/sqlite";

type Database = SqliteAdapter["connection"];

/** Returns a fetch handler that does the same as the ledger's server, on the adapter's connection. */
export function createTarget(lane: Lane): (request: Request) => Response {
  const db = (lane.systems["db"] as SqliteAdapter).connection;
  db.exec(`CREATE TABLE IF NOT EXISTS orders (
    id INTEGER PRIMARY KEY,
    amount INTEGER NOT NULL,
    refunded INTEGER NOT NULL DEFAULT 0,
    status TEXT NOT NULL DEFAULT 'created',
    shipped INTEGER NOT NULL DEFAULT 0
  )`);
  const find = db.prepare("SELECT id FROM orders WHERE id = ?");
  const insert = db.prepare("INSERT INTO orders (id, amount) SELECT count(*) + 1, 100 FROM orders HAVING count(*) < 3");
  const change: Readonly<Record<string, ReturnType<Database["prepare"]>>> = {
    pay: db.prepare("UPDATE orders SET status = 'paid' WHERE id = ? AND status = 'created'"),
    ship: db.prepare("UPDATE orders SET status = 'shipped', shipped = 1 WHERE id = ? AND status = 'paid'"),
    refund: db.prepare("UPDATE orders SET refunded = refunded + 10 WHERE id = ? AND status IN ('paid', 'shipped') AND refunded < amount"),
    cancel: db.prepare("UPDATE orders SET status = 'cancelled' WHERE id = ? AND status = 'created'"),
  };
  return (request) => {
    const [, , id, verb] = new URL(request.url).pathname.split("/");
    if (id === undefined || verb === undefined) return Response.json({}, { status: insert.run().changes === 1 ? 201 : 409 });
    if (find.get(id) === undefined) return Response.json({}, { status: 404 });
    return Response.json({}, { status: change[verb]!.run(id).changes === 1 ? 200 : 409 });
  };
}
