// A process of its own that writes through its own connections, as an API would: one JSON array of statements per line of input, answered by how many of them
// were refused. It goes from one of its sessions to the other; one of them has other settings than ours.
import { createInterface } from "node:readline";
import mysql from "mysql2/promise";

const url = new URL(process.argv[2]);
const options = {
  host: url.hostname,
  port: Number(url.port || 3306),
  user: decodeURIComponent(url.username),
  password: decodeURIComponent(url.password),
  database: decodeURIComponent(url.pathname.slice(1)),
  multipleStatements: true,
  infileStreamFactory: undefined,
};
const sessions = [];
const settings = [
  "set sql_mode = ''",
  "set time_zone = '+05:45', sql_mode = 'ANSI_QUOTES,PAD_CHAR_TO_FULL_LENGTH,NO_BACKSLASH_ESCAPES', names latin1",
];

async function session(index) {
  if (sessions[index] === undefined) {
    const connection = await mysql.createConnection(options);
    connection.on("error", () => (sessions[index] = undefined));
    for (const setting of settings[index].split(", names"))
      await connection.query(setting.startsWith(" ") ? `set names${setting}` : setting);
    await connection.query("set innodb_lock_wait_timeout = 2");
    sessions[index] = connection;
  }
  return sessions[index];
}

let turn = 0;
for await (const line of createInterface({ input: process.stdin })) {
  let refused = 0;
  const statements = JSON.parse(line);
  const index = turn++ % 2;
  const connection = await session(index);
  for (const sql of statements) {
    try {
      await connection.query(sql);
    } catch (error) {
      if (process.env.SHOW) process.stderr.write(`${sql}\n   ${error.message}\n`);
      // A trigger of ours that fails would look like a refused statement.
      if (/seqqa_(?:journal|g\d|r\d|off)/.test(error.message) || error.errno === 1205 || error.errno === 1064) {
        process.stderr.write(`${sql}: ${error.message}\n`);
        process.exit(1);
      }
      refused++;
    }
  }
  if (statements[0] === "begin" && !line.includes("leave open")) await connection.query("rollback");
  process.stdout.write(`${refused}\n`);
}
for (const one of sessions) await one?.end().catch(() => undefined);
