import { describe, expect, it } from "vitest";
import { full, some } from "../sizes.ts";
import { documentOf, folderWith, only, seqqa, seqqaProcess, type Explored } from "../support/e2e.ts";

/** A target on SQLite in which one path of calls shows a defect, and states that look alike are easily taken for one. */
interface LookAlike {
  /** The calls, in the order in which the run tries them: `name` sends `POST /name`. */
  readonly actions: readonly string[];
  readonly schema: string;
  /** The body of a function `(url, db, run, one, bug, request)` that returns a status, or `[status, body]`. */
  readonly answer: string;
  /** The largest number that the rule allows. `GET /count` answers with the number as `n`. */
  readonly most: number;
  /** The World has no store: `POST /reset` makes the root state again, and `/count` shows the whole state. */
  readonly isReset?: true;
  /** Statements of `setup` that are sent through the API, each as `POST`. */
  readonly setUp?: readonly string[];
  /** The answer of this action holds the bearer token of later calls. */
  readonly login?: string;
  /** The number of states of the correct twin, whether or not two logins happen within one second. */
  readonly states?: number;
}

const server = ({ schema, answer }: LookAlike): string => `
import { createServer } from "node:http";
import { createHmac, randomUUID } from "node:crypto";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");
const db = new Database(process.env.DB_PATH);
db.exec(${JSON.stringify(schema)});
const one = (sql, ...values) => db.prepare(sql).get(...values);
const run = (sql, ...values) => db.prepare(sql).run(...values).changes;
const bug = process.env.BUG === "1";
const memory = { next: 10, second: 0 };
// Unless TWO_SECONDS is set, calls that follow each other are mostly in one second. With it, two logins never are.
const second = () => {
  while (process.env.TWO_SECONDS === "1" && Math.floor(Date.now() / 1000) === memory.second) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  return (memory.second = Math.floor(Date.now() / 1000));
};
const sign = (claims, key) => {
  const [head, body] = [{ alg: "HS256", typ: "JWT" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  return head + "." + body + "." + createHmac("sha256", key).update(head + "." + body).digest("base64url");
};
const answerTo = (url, request) => {
${answer}
};
createServer((request, response) => {
  const [status, body = {}] = [answerTo(request.url.slice(1), request)].flat();
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

async function explore(
  target: LookAlike & { readonly path: string },
  bug: boolean,
  { inTwoSeconds = false, args }: { readonly inTwoSeconds?: boolean; readonly args?: readonly string[] } = {},
): Promise<Explored & { readonly status: number | null; readonly said: string }> {
  const cwd = folderWith({
    "server.mjs": server(target),
    "seqqa.yaml": `target: { command: node server.mjs, ready: "/count", env: { PORT: "{port}", DB_PATH: "{db_path}", BUG: "${bug ? 1 : 0}", TWO_SECONDS: "${inTwoSeconds ? 1 : 0}" } }\n`,
    "alike.explore.ts": `import { Action, Agent, Invariant, World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
const call = (name: string) => new Action<any>({ name, mayNeverSucceed: true, run: ${
      target.login === undefined
        ? '(api) => api.post("/" + name)'
        : `async (api, context) => {
  const answer = await api.post("/" + name);
  if (name === ${JSON.stringify(target.login)} && answer.ok) { const { token } = answer.json() as any; api.setAuthToken(token); context.set("token", token); }
  return answer;
}`
    } });
export const agent = new Agent<any>({
  ${target.isReset === true ? `world: ({ baseUrl }) => new World({ api: new HttpClient(baseUrl), reset: async ({ api }) => void (await api.post("/reset")), probe: async ({ api }) => (await api.get("/count")).json() }),` : ""}
  ${target.setUp === undefined ? "" : `setup: async ({ api }) => { for (const path of ${JSON.stringify(target.setUp)}) { await api.post("/" + path); await new Promise((resolve) => setTimeout(resolve, 5)); } },`}
  actions: ${JSON.stringify(target.actions)}.map(call),
  invariants: [new Invariant<any>({ name: "at_most", check: async ({ api }) => ((await api.get("/count")).json() as any).n <= ${target.most} })],
});
`,
  });
  // A quick run ends with the defect, and the one of its twin at the same depth, unless all its states are counted.
  const end = args ?? (bug ? ["--bail"] : target.states === undefined ? ["--max-depth", String(target.path.split(" ").length)] : []);
  // Runs with a token wait most of the time, the quick ones at the same time.
  const command = full || target.login === undefined ? seqqa : seqqaProcess;
  const ran = await command(["run", ".", "--reporter", "json", "--parallel", "1", ...(full && args === undefined ? [] : end)], { cwd });
  return { ...only(documentOf(ran)), status: ran.status, said: ran.stdout + ran.stderr };
}

const LOGOUT = `
  if (url === "logout_all") return version === 2 ? 409 : run("update users set version = 2") && 200;`;
const CHECK = `
  const token = (request.headers.authorization ?? "").slice(7);
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString() || "{}");
  if (token !== sign(claims, "secret" + version)) return 401;`;

/** An account whose JWTs are signed with a key that `logout_all` changes. `calls`: logging out and the check of the token, in their order. */
const accountWith = (calls: string): Pick<LookAlike, "schema" | "answer" | "most"> => ({
  schema:
    "create table if not exists users (id integer primary key, version int, balance int); insert or ignore into users values (1, 1, 100)",
  answer: `
  const { version, balance } = one("select * from users");
  if (url === "count") return [200, { n: -balance }];
  if (url === "login") { const iat = second(); return [200, { token: sign({ sub: "1", iat, exp: iat + 86400 }, "secret" + version) }]; }${calls}
  if (balance < 100) return 409;
  return run("update users set balance = balance - ?", bug && version === 2 ? 200 : 100) && 200;`,
  most: 0,
});

/** Pairs of states that differ only in what seqqa gives one name, each with the path that was never executed. */
const ALIKE: Readonly<Record<string, LookAlike & { readonly path: string }>> = {
  "a JWT that was signed before and after its key changed": {
    path: "logout_all login pay",
    actions: ["login", "logout_all", "pay"],
    login: "login",
    states: 11,
    ...accountWith(LOGOUT + CHECK),
  },
  "the order in which rows with a key of text were inserted": {
    path: "join_bob join_ann open invite",
    actions: ["join_ann", "join_bob", "open", "invite"],
    schema:
      "create table if not exists waiting (email text primary key); create table if not exists state (id integer primary key, open int, n int); insert or ignore into state values (1, 0, 0)",
    answer: `
  const { open, n } = one("select * from state");
  if (url === "count") return [200, { n }];
  if (url.startsWith("join_")) return open ? 409 : run("insert or ignore into waiting values (?)", url.slice(5)) ? 200 : 409;
  const first = one("select email from waiting order by rowid limit 1")?.email;
  if (url === "open") return open || first === undefined ? 409 : run("update state set open = 1") && 200;
  if (!open || n > 0) return 409;
  return run("update state set n = ?", bug && first === "bob" && one("select count(*) n from waiting").n > 1 ? 2 : 1) && 200;`,
    most: 1,
  },
  "data in a hidden value that is used four steps later": {
    path: "toggle toggle order approve pack bill",
    actions: ["toggle", "order", "approve", "pack", "bill"],
    schema:
      "create table if not exists prefs (id integer primary key, sealed text); create table if not exists state (id integer primary key, at text, n int); insert or ignore into state values (1, 'new', 0)",
    answer: `
  const { at, n } = one("select * from state");
  if (url === "count") return [200, { n }];
  const flags = (memory.flags ??= new Map()); // What only the target can read in the value, as in an encrypted one.
  const sealed = one("select sealed from prefs")?.sealed;
  if (url === "toggle") {
    if (at !== "new") return 409;
    const value = randomUUID();
    flags.set(value, !flags.get(sealed));
    return run("insert into prefs values (1, ?) on conflict (id) do update set sealed = excluded.sealed", value) && 200;
  }
  const next = { order: ["new", "ordered"], approve: ["ordered", "approved"], pack: ["approved", "packed"], bill: ["packed", "billed"] };
  const [from, to] = next[url];
  if (at !== from) return 409;
  const isWrong = bug && url === "bill" && sealed !== undefined && !flags.get(sealed);
  return run("update state set at = ?, n = ?", to, isWrong ? 2 : n) && 200;`,
    most: 1,
  },
  "the order in which rows whose keys earlier steps generated were inserted": {
    path: "order order queue_last queue_first open invite",
    actions: ["order", "queue_first", "queue_last", "open", "invite"],
    schema:
      "create table if not exists orders (id text primary key); create table if not exists queue (order_id text primary key references orders (id)); create table if not exists state (id integer primary key, open int, n int); insert or ignore into state values (1, 0, 0)",
    answer: `
  const { open, n } = one("select * from state");
  if (url === "count") return [200, { n }];
  const [first, last] = db.prepare("select id from orders order by rowid").pluck().all();
  if (url === "order") return open || last !== undefined ? 409 : run("insert into orders values (?)", randomUUID()) && 200;
  if (last === undefined) return 409;
  if (url.startsWith("queue_")) return open ? 409 : run("insert or ignore into queue values (?)", url === "queue_first" ? first : last) ? 200 : 409;
  const [next, after] = db.prepare("select order_id from queue order by rowid").pluck().all();
  if (url === "open") return open || next === undefined ? 409 : run("update state set open = 1") && 200;
  if (!open || n > 0) return 409;
  return run("update state set n = ?", bug && next === last && after !== undefined ? 2 : 1) && 200;`,
    most: 1,
  },
  "a JWT that was signed again in the second of the one before, with another key": {
    path: "login logout_all login pay",
    actions: ["login", "logout_all", "pay"],
    login: "login",
    states: 10,
    ...accountWith(CHECK + LOGOUT),
  },
  "rows of the root state, if their integer keys come from a counter that is not restored": {
    path: "open hold_2 pay",
    actions: ["add_seat", "open", "hold_1", "hold_2", "pay"],
    schema:
      "create table if not exists seats (id integer primary key, price int); insert or ignore into seats values (1, 10), (2, 90); create table if not exists holds (seat_id integer primary key references seats (id), state text); create table if not exists ledger (id integer primary key, total int); insert or ignore into ledger values (1, 0)",
    answer: `
  if (url === "count") return [200, { n: one("select total n from ledger").n }];
  if (url === "add_seat") {
    const id = memory.next++;
    return one("select count(*) n from seats").n > 2 ? 409 : run("insert into seats values (?, 10)", id) && [200, { id }];
  }
  if (url === "open") return one("select count(*) n from holds").n > 0 ? 409 : run("insert into holds select id, 'free' from seats") && 200;
  if (url.startsWith("hold_")) {
    if (one("select count(*) n from holds where state = 'held'").n > 0) return 409;
    return run("update holds set state = 'held' where seat_id = ?", Number(url.slice(5))) ? 200 : 404;
  }
  const { n } = one("select coalesce(sum(price), 0) n from holds join seats on id = seat_id where state = 'held'");
  run("update ledger set total = ?", bug && n > 50 ? n * 2 : n);
  return 200;`,
    most: 110,
  },
  "which of two times of setup was copied": {
    path: "read_2 archive",
    actions: ["read_1", "read_2", "archive"],
    setUp: ["message", "message"],
    schema:
      "create table if not exists messages (id integer primary key, at text, archived int default 0); create table if not exists inbox (id integer primary key, read_until text, wrong int); insert or ignore into inbox values (1, null, 0)",
    answer: `
  if (url === "count") return [200, { n: one("select wrong n from inbox").n }];
  if (url === "message") return run("insert into messages (at) values (?)", new Date().toISOString()) && 200;
  if (url.startsWith("read_")) return run("update inbox set read_until = (select at from messages where id = ?)", Number(url.slice(5))) && 200;
  run("update messages set archived = 1 where at <= (select read_until from inbox)");
  const { n } = one("select count(*) n from messages where archived = 1");
  run("update inbox set wrong = ?", bug && n === 2 ? 2 : 0);
  return 200;`,
    most: 1,
  },
  "which of two rows of one step was written first": {
    path: "buy refund_last use_first",
    actions: ["buy", "refund_first", "refund_last", "use_first"],
    schema:
      "create table if not exists tickets (id integer primary key, status text); create table if not exists gate (id integer primary key, used int); insert or ignore into gate values (1, 0)",
    answer: `
  if (url === "count") return [200, { n: one("select used n from gate").n }];
  const refunded = () => one("select count(*) n from tickets where status = 'refunded'").n;
  if (url === "buy") {
    if (one("select count(*) n from tickets").n > 0) return 409;
    for (let i = 0; i < 2; i++) run("insert into tickets values (?, 'open')", memory.next++);
    return 200;
  }
  const first = one("select * from tickets order by id");
  if (first === undefined) return 409;
  if (url.startsWith("refund_")) {
    const by = url === "refund_first" ? "min" : "max";
    return refunded() > 0 ? 409 : run("update tickets set status = 'refunded' where id = (select " + by + "(id) from tickets)") && 200;
  }
  if (first.status !== "open" || one("select used n from gate").n > 0) return 409;
  run("update gate set used = ?", bug && refunded() > 0 ? 2 : 1);
  return 200;`,
    most: 1,
  },
  "a lease of the root state that is over": {
    path: "wait publish",
    actions: ["publish", "wait"],
    isReset: true,
    setUp: ["lock"],
    schema:
      "create table if not exists docs (id integer primary key, locked_until text, copies int); insert or ignore into docs values (1, null, 0)",
    answer: `
  const { locked_until, copies } = one("select * from docs");
  if (url === "count") return [200, { n: copies, locked_until }];
  if (url === "reset") return run("update docs set locked_until = null, copies = 0") && 200;
  if (url === "lock") return run("update docs set locked_until = ?", new Date(Date.now() + 1500).toISOString()) && 200;
  if (url === "wait") { while (Date.parse(locked_until) >= Date.now()) {} return 200; }
  const isHeld = Date.parse(locked_until) > Date.now();
  return copies > 0 ? 409 : run("update docs set copies = ?", bug && !isHeld ? 2 : 1) && 200;`,
    most: 1,
  },
  "two times that one step wrote as equal times": {
    path: "auto_on create auto_off retract",
    actions: ["create", "publish", "auto_on", "auto_off", "retract"],
    schema:
      "create table if not exists docs (id integer primary key, status text, created_at text, updated_at text); create table if not exists settings (id integer primary key, auto int); insert or ignore into settings values (1, 0); create table if not exists log (id integer primary key, n int); insert or ignore into log values (1, 0)",
    answer: `
  if (url === "count") return [200, { n: one("select n from log").n }];
  const { auto } = one("select auto from settings");
  const doc = one("select * from docs");
  while (doc && Date.now() <= Date.parse(doc.created_at)) {} // The time of publish is never that of create.
  const now = new Date().toISOString();
  if (url === "create") return doc ? 409 : run("insert into docs values (1, ?, ?, ?)", auto ? "published" : "draft", now, now) && 200;
  if (url === "publish") return doc?.status === "draft" ? run("update docs set status = 'published', updated_at = ?", now) && 200 : 409;
  if (url === "auto_on") return doc || auto ? 409 : run("update settings set auto = 1") && 200;
  if (url === "auto_off") return auto ? run("update settings set auto = 0") && 200 : 409;
  if (doc?.status !== "published" || doc.created_at !== doc.updated_at) return 409;
  run("update log set n = ?", bug && !auto ? 2 : 1);
  return 200;`,
    most: 1,
  },
  "which of two ULIDs of one step came first": {
    path: "buy refund_last use_first",
    actions: ["buy", "refund_first", "refund_last", "use_first"],
    schema:
      "create table if not exists tickets (id text primary key, status text); create table if not exists gate (id integer primary key, used int); insert or ignore into gate values (1, 0)",
    answer: `
  const digits = (number, length) => [...number.toString(32).padStart(length, "0")].map((digit) => "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[parseInt(digit, 32)]).join("");
  const ulid = () => digits(Date.now(), 10) + digits(2 ** 32 + memory.next++, 16);
  if (url === "count") return [200, { n: one("select used n from gate").n }];
  const refunded = () => one("select count(*) n from tickets where status = 'refunded'").n;
  if (url === "buy") {
    if (one("select count(*) n from tickets").n > 0) return 409;
    for (let i = 0; i < 2; i++) run("insert into tickets values (?, 'open')", ulid());
    return 200;
  }
  const [first, last] = db.prepare("select * from tickets order by id").all();
  if (first === undefined) return 409;
  if (url.startsWith("refund_")) {
    const { id } = url === "refund_first" ? first : last;
    return refunded() > 0 ? 409 : run("update tickets set status = 'refunded' where id = ?", id) && 200;
  }
  if (first.status !== "open" || one("select used n from gate").n > 0) return 409;
  run("update gate set used = ?", bug && refunded() > 0 ? 2 : 1);
  return 200;`,
    most: 1,
  },
  "which of two times of one step came first": {
    path: "buy refund_last use_first",
    actions: ["buy", "refund_first", "refund_last", "use_first"],
    schema:
      "create table if not exists tickets (id text primary key, status text, created_at text); create table if not exists gate (id integer primary key, used int); insert or ignore into gate values (1, 0)",
    answer: `
  const later = (ms) => { const end = Date.now() + ms; while (Date.now() < end) {} return new Date().toISOString(); };
  if (url === "count") return [200, { n: one("select used n from gate").n }];
  const refunded = () => one("select count(*) n from tickets where status = 'refunded'").n;
  if (url === "buy") {
    if (one("select count(*) n from tickets").n > 0) return 409;
    for (let i = 0; i < 2; i++) run("insert into tickets values (?, 'open', ?)", randomUUID(), later(5));
    return 200;
  }
  const [first, last] = db.prepare("select * from tickets order by created_at").all();
  if (first === undefined) return 409;
  if (url.startsWith("refund_")) {
    const { id } = url === "refund_first" ? first : last;
    return refunded() > 0 ? 409 : run("update tickets set status = 'refunded' where id = ?", id) && 200;
  }
  if (first.status !== "open" || one("select used n from gate").n > 0) return 409;
  run("update gate set used = ?", bug && refunded() > 0 ? 2 : 1);
  return 200;`,
    most: 1,
  },
  "which of two times of setup was copied, if setup already copied one": {
    path: "read_2 archive",
    actions: ["read_2", "archive"],
    setUp: ["message", "read_1", "message"],
    schema:
      "create table if not exists messages (id integer primary key, at text, archived int default 0); create table if not exists inbox (id integer primary key, read_until text, wrong int); insert or ignore into inbox values (1, null, 0)",
    answer: `
  if (url === "count") return [200, { n: one("select wrong n from inbox").n }];
  if (url === "message") return run("insert into messages (at) values (?)", new Date().toISOString()) && 200;
  if (url.startsWith("read_")) return run("update inbox set read_until = (select at from messages where id = ?)", Number(url.slice(5))) && 200;
  if (one("select count(*) n from messages where archived = 1").n > 0) return 409;
  run("update messages set archived = 1 where at <= (select read_until from inbox)");
  const { n } = one("select count(*) n from messages where archived = 1");
  run("update inbox set wrong = ?", bug && n === 2 ? 2 : 0);
  return 200;`,
    most: 1,
  },
  "which of two equal rows without a key was changed": {
    path: "take_first next",
    actions: ["take_last", "take_first", "next"],
    schema:
      "create table if not exists jobs (state text); create table if not exists gate (id integer primary key, used int); insert or ignore into gate values (1, 0); insert into jobs select 'pending' from (values (1), (2)) where not exists (select 1 from jobs)",
    answer: `
  if (url === "count") return [200, { n: one("select used n from gate").n }];
  if (url.startsWith("take_")) {
    if (one("select count(*) n from jobs where state = 'done'").n > 0) return 409;
    return run("update jobs set state = 'done' where rowid = (select " + (url === "take_first" ? "min" : "max") + "(rowid) from jobs)") && 200;
  }
  const { state } = one("select state from jobs limit 1");
  return run("update gate set used = ?", bug && state === "done" ? 2 : 1) && 200;`,
    most: 1,
  },
  "the order of keys that look like integers, in JSON with a generated value": {
    path: "open add_2 add_1 pay",
    actions: ["open", "add_1", "add_2", "pay"],
    schema:
      "create table if not exists carts (id integer primary key, data text); create table if not exists bills (id integer primary key, n int); insert or ignore into bills values (1, 0)",
    answer: `
  const { n } = one("select n from bills");
  if (url === "count") return [200, { n }];
  const data = one("select data from carts")?.data;
  const write = (session, items) => run("insert or replace into carts values (1, ?)", '{"session":"' + session + '","cart":{' + items + "}}") && 200;
  if (url === "open") return data === undefined ? write(randomUUID(), "") : 409;
  const [, session, items = ""] = /"session":"([^"]*)","cart":{(.*)}}/.exec(data) ?? [];
  if (url === "pay") return n > 0 || items === "" ? 409 : run("update bills set n = ?", bug && items === '"2":1,"1":1' ? 2 : 1) && 200;
  const item = '"' + url.slice(4) + '":1';
  return session === undefined || items.includes(item) ? 409 : write(session, items === "" ? item : items + "," + item);`,
    most: 1,
  },
  "an ETag that was made before and after a write": {
    path: "get publish put",
    actions: ["get", "publish", "unpublish", "put"],
    login: "get",
    schema:
      "create table if not exists docs (id integer primary key, status text, at text, wrong int); insert or ignore into docs values (1, 'draft', '2024-01-01T00:00:00.000Z', 0)",
    answer: `
  const { status, at, wrong } = one("select * from docs");
  if (url === "count") return [200, { n: wrong }];
  const tag = createHmac("sha256", "key").update(status + at).digest("hex");
  if (url === "get") return [200, { token: tag }];
  const write = (next, n) => {
    while (Date.now() <= Date.parse(at)) {} // No two writes have one time.
    return run("update docs set status = ?, at = ?, wrong = ?", next, new Date().toISOString(), n) && 200;
  };
  if (url === "publish") return status === "draft" ? write("published", wrong) : 409;
  if (url === "unpublish") return status === "published" ? write("draft", wrong) : 409;
  if (request.headers.authorization === undefined) return 428;
  const isCurrent = request.headers.authorization === "Bearer " + tag;
  return isCurrent || (bug && status === "published") ? write(status, isCurrent ? wrong : 2) : 412;`,
    most: 1,
  },
  "a token that is refused only if the password changed in a later second": {
    path: "login change pay",
    actions: ["login", "change", "pay"],
    login: "login",
    schema:
      "create table if not exists users (id integer primary key, changed_at int, balance int); insert or ignore into users values (1, 0, 100)",
    answer: `
  const { changed_at, balance } = one("select * from users");
  if (url === "count") return [200, { n: -balance }];
  const now = Math.floor(Date.now() / 1000);
  if (url === "login") return [200, { token: sign({ sub: "1", iat: now, exp: now + 86400 }, "secret") }];
  if (url === "change") return changed_at > 0 ? 409 : run("update users set changed_at = ?", now) && 200;
  const token = (request.headers.authorization ?? "").slice(7);
  if (token === "") return 401;
  const isStale = JSON.parse(Buffer.from(token.split(".")[1], "base64url").toString()).iat < changed_at;
  if (balance < 100 || (isStale && !bug)) return 401;
  return run("update users set balance = balance - ?", isStale ? 200 : 100) && 200;`,
    most: 0,
  },
};

describe("states that differ only in what seqqa gives one name", () => {
  // In the quick suite the next test has the second of them, without its defect.
  it.each(some(Object.entries(ALIKE), 2))("%s: the defect is found, and the correct twin is silent", async (_what, target) => {
    // In the quick suite the next test has a correct twin, and e2e/soundness has others.
    const modes = full ? [true, false] : [true];
    const [found, twin] = await Promise.all(modes.map(async (bug) => explore(target, bug)));
    expect([found!.status, found!.violations.map(({ reproductionPath }) => reproductionPath.join(" "))]).toEqual([1, [target.path]]);
    if (twin === undefined) return;
    expect([twin.status, twin.violations, twin.divergences]).toEqual([0, [], []]);
    if (target.states !== undefined) expect(twin.statesVisited).toBe(target.states);
  });

  it.each(
    some(
      Object.entries(ALIKE)
        .filter(([, { states }]) => states !== undefined)
        .toReversed(),
      1,
    ),
  )("%s: the same states, if two logins never happen within one second", async (_what, target) => {
    const { status, violations, divergences, statesVisited } = await explore(target, false, { inTwoSeconds: true });
    expect([status, violations, divergences, statesVisited]).toEqual([0, [], [], target.states]);
  });

  it("are audited if they differ in which values of one step belong together, which no state shows", async () => {
    const target = {
      actions: ["make", "use_a", "use_b", "refund_a"],
      login: "make",
      schema:
        "create table if not exists codes (id text primary key, hash text, used int); create table if not exists gate (id integer primary key, n int); insert or ignore into gate values (1, 0)",
      answer: `
  const hash = (code) => createHmac("sha256", "key").update(code ?? "").digest("hex");
  const { n } = one("select n from gate");
  if (url === "count") return [200, { n }];
  if (url === "make") {
    if (one("select count(*) n from codes").n > 0) return 409;
    const codes = [randomUUID(), randomUUID()];
    for (const code of codes) run("insert into codes values (?, ?, 0)", randomUUID(), hash(code));
    return [200, { token: codes.join(".") }];
  }
  const codes = (request.headers.authorization ?? "").slice(7).split(".");
  if (url === "use_a" || url === "use_b") return run("update codes set used = 1 where used = 0 and hash = ?", hash(codes[url === "use_a" ? 0 : 1])) ? 200 : 409;
  const isUsed = (one("select used from codes where hash = ?", hash(codes[0]))?.used ?? 0) === 1;
  if (n > 0 || !(isUsed || (bug && one("select count(*) n from codes where used = 1").n > 0))) return 409;
  return run("update gate set n = ?", isUsed ? 1 : 2) && 200;`,
      most: 1,
      path: "make use_b refund_a",
    };
    const [found, twin] = await Promise.all(some([true, false], 1).map(async (bug) => explore(target, bug, { args: [] })));
    expect([found!.status, found!.violations.map(({ reproductionPath }) => reproductionPath.join(" "))]).toEqual([1, [target.path]]);
    // No state tells the merged states apart, so the correct twin is not called exhaustive either.
    if (twin !== undefined) expect([twin.status, twin.violations, twin.divergences.map(({ kind }) => kind)]).toEqual([3, [], ["merge"]]);
  });

  it("keep a violation that a search found before it began again, if the second search has too few steps to reach it", async () => {
    const { answer, schema, ...rest } = ALIKE["which of two rows of one step was written first"]!;
    const found = await explore(
      {
        ...rest,
        actions: [...rest.actions, "up"],
        schema: `${schema}; create table if not exists counter (n int); insert into counter select 0 where not exists (select 1 from counter)`,
        answer: `
  const { n } = one("select n from counter");
  if (url === "count") return [200, { n: 10 * one("select used n from gate").n + n }];
  if (url === "up") return n > 2 ? 409 : run("update counter set n = n + 1") && 200;
${answer}`,
        most: 12,
      },
      false,
      { args: ["--max-steps", "75"] },
    );
    expect([found.status, found.stopReason, found.violations.map(({ invariant }) => invariant)]).toEqual([1, "max_steps", ["at_most"]]);
    // The first search had merged states that differ.
    expect(found.reductions).toContainEqual(expect.objectContaining({ refuted: 1 }));
  });
});
