// A process of its own that writes through its own connections, as an API would: one JSON array of statements per line of input, answered by
// how many of them were refused. It goes from one of its sessions to the other; one of them sees values in another form than ours.
import { createInterface } from "node:readline";
import pg from "pg";

const [url] = process.argv.slice(2);
const sessions = [];
const odd =
  "set datestyle = 'SQL, DMY'; set timezone = 'Asia/Kathmandu'; set bytea_output = 'escape'; set intervalstyle = 'iso_8601'; set extra_float_digits = -5; set lc_monetary = 'C.UTF-8'; set search_path = public, other";

async function session(index) {
  if (sessions[index] === undefined) {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => (sessions[index] = undefined));
    await client.connect();
    await client.query(index === 1 ? odd : "set search_path = public, other");
    sessions[index] = client;
  }
  return sessions[index];
}

let turn = 0;
for await (const line of createInterface({ input: process.stdin })) {
  let refused = 0;
  const statements = JSON.parse(line);
  const index = turn++ % 2;
  for (const sql of statements) {
    // Sessions that were ended, as a clone ends them, are made anew: an API's pool does so too.
    for (let tries = 0; ; tries++) {
      try {
        await (await session(index)).query(sql);
        break;
      } catch (error) {
        if (/^(?:40P01$|55P03$|SQ)/.test(error.code ?? "")) throw error;
        const lost = /^(57P0|3D000|08|55000|ECONN|EPIPE)/.test(error.code ?? "") || /terminated|not queryable|closed/i.test(error.message);
        if (lost && tries < 200) {
          sessions[index] = undefined;
          await new Promise((resolve) => setTimeout(resolve, 20));
          continue;
        }
        if (process.env.SHOW) process.stderr.write(`${sql}\n   ${error.message}\n`);
        refused++;
        break;
      }
    }
  }
  if (statements[0] === "begin" && !line.includes("leave open")) await (await session(index)).query("rollback").catch(() => undefined);
  process.stdout.write(`${refused}\n`);
}
for (const one of sessions) await one?.end().catch(() => undefined);
