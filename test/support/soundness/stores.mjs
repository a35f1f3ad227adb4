// Items in each kind of store, behind the same small interface.
import { createRequire } from "node:module";

const require = createRequire(process.env.DRIVERS);
const COLUMNS = ["ref", "status", "amount", "steps", "note", "expires_at", "secret", "created_at", "updated_at", "latency", "trace"];

/** Opens the store of a target. It holds items, and a counter that a timer increments. */
export async function openStore(spec) {
  if (process.env.DB_PATH) return sqlite(new (require("better-sqlite3"))(process.env.DB_PATH), spec);
  const url = process.env.DATABASE_URL;
  if (url === undefined) return memory();
  if (url.startsWith("postgres")) return postgres(url, spec);
  if (url.startsWith("redis")) return redis(url, spec);
  return mysql(url, spec);
}

function sqlite(db, { table }) {
  const key = "id INTEGER PRIMARY KEY AUTOINCREMENT";
  db.exec(`CREATE TABLE IF NOT EXISTS ${table} (${key}, ${COLUMNS.map((name) => `${name} TEXT`).join(", ")})`);
  db.exec("CREATE TABLE IF NOT EXISTS beats (id INTEGER PRIMARY KEY, n INTEGER); INSERT OR IGNORE INTO beats VALUES (1, 0)");
  return {
    all: async () => db.prepare(`SELECT * FROM ${table} ORDER BY id`).all(),
    insert: async (set) => {
      const names = Object.keys(set);
      const sql = `INSERT INTO ${table} (${names}) VALUES (${names.map(() => "?")})`;
      return Number(db.prepare(sql).run(...Object.values(set)).lastInsertRowid);
    },
    update: async (id, set) => {
      const names = Object.keys(set).map((name) => `${name} = ?`);
      db.prepare(`UPDATE ${table} SET ${names} WHERE id = ?`).run(...Object.values(set), id);
    },
    remove: async (id) => void db.prepare(`DELETE FROM ${table} WHERE id = ?`).run(id),
    beat: async () => void db.exec("UPDATE beats SET n = n + 1"),
  };
}

/** Returns a store in memory. Only the target's API can show and restore its data. */
function memory() {
  let items = [];
  let last = 0;
  let beats = 0;
  return {
    all: async () => items.map((item) => ({ ...item })),
    insert: async (set) => {
      items.push({ id: ++last, ...set });
      return last;
    },
    update: async (id, set) => void Object.assign(items.find((item) => item.id === id) ?? {}, set),
    remove: async (id) => void (items = items.filter((item) => item.id !== id)),
    beat: async () => void beats++,
    shown: () => ({ items, beats }),
    /** Removes all items. The counter of ids is not reset, so that no id is used twice. */
    reset: () => void (items = []),
  };
}

async function postgres(url, { table }) {
  const pool = new (require("pg").Pool)({ connectionString: url, max: 2 });
  await pool.query(`CREATE TABLE IF NOT EXISTS ${table} (id SERIAL PRIMARY KEY, ${COLUMNS.map((name) => `${name} TEXT`).join(", ")})`);
  await pool.query("CREATE TABLE IF NOT EXISTS beats (id INT PRIMARY KEY, n INT)");
  await pool.query("INSERT INTO beats VALUES (1, 0) ON CONFLICT DO NOTHING");
  return {
    all: async () => (await pool.query(`SELECT * FROM ${table} ORDER BY id`)).rows,
    insert: async (set) => {
      const names = Object.keys(set);
      const sql = `INSERT INTO ${table} (${names}) VALUES (${names.map((_, index) => `$${index + 1}`)}) RETURNING id`;
      return (await pool.query(sql, Object.values(set))).rows[0].id;
    },
    update: async (id, set) => {
      const names = Object.keys(set).map((name, index) => `${name} = $${index + 1}`);
      await pool.query(`UPDATE ${table} SET ${names} WHERE id = $${names.length + 1}`, [...Object.values(set), id]);
    },
    remove: async (id) => void (await pool.query(`DELETE FROM ${table} WHERE id = $1`, [id])),
    beat: async () => void (await pool.query("UPDATE beats SET n = n + 1")),
  };
}

async function mysql(url, { table }) {
  const pool = require("mysql2/promise").createPool({ uri: url, connectionLimit: 2 });
  const columns = COLUMNS.map((name) => `${name} TEXT`).join(", ");
  await pool.query(`CREATE TABLE IF NOT EXISTS ${table} (id INT PRIMARY KEY AUTO_INCREMENT, ${columns})`);
  await pool.query("CREATE TABLE IF NOT EXISTS beats (id INT PRIMARY KEY, n INT)");
  await pool.query("INSERT IGNORE INTO beats VALUES (1, 0)");
  return {
    all: async () => (await pool.query(`SELECT * FROM ${table} ORDER BY id`))[0],
    insert: async (set) => (await pool.query(`INSERT INTO ${table} SET ?`, [set]))[0].insertId,
    update: async (id, set) => void (await pool.query(`UPDATE ${table} SET ? WHERE id = ?`, [set, id])),
    remove: async (id) => void (await pool.query(`DELETE FROM ${table} WHERE id = ?`, [id])),
    beat: async () => void (await pool.query("UPDATE beats SET n = n + 1")),
  };
}

async function redis(url, { table }) {
  const client = new (require("ioredis").Redis)(url);
  return {
    all: async () => {
      const ids = await client.lrange(`${table}:all`, 0, -1);
      return Promise.all(ids.map(async (id) => ({ ...(await client.hgetall(`${table}:${id}`)), id: Number(id) })));
    },
    insert: async (set) => {
      const id = await client.incr(`${table}:next`);
      await client.hset(`${table}:${id}`, set);
      await client.rpush(`${table}:all`, id);
      return id;
    },
    update: async (id, set) => void (await client.hset(`${table}:${id}`, set)),
    remove: async (id) => {
      await client.del(`${table}:${id}`);
      await client.lrem(`${table}:all`, 0, id);
    },
    beat: async () => void (await client.incr("beats")),
  };
}
