import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full, size } from "../sizes.ts";
import { folderWith, only, seqqa, writtenIn } from "../support/e2e.ts";

/**
 * Posts with tags. Whoever writes a post deletes its tags and inserts them again, as Strapi does, so that they have new keys each time: a PUT, and also a PATCH and a
 * POST that are refused. DEFECT: `twice` (a PUT again adds a tag), `refused` (a refused PATCH changes one), `left` (a refused POST leaves a post),
 * `revive` (a call below a deleted post brings it back).
 */
const SERVER = `
import { createServer } from "node:http";
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");
const { DEFECT, KEYS } = process.env;
const db = new Database(process.env.DB_PATH);
const key = KEYS === "uuid" ? "TEXT PRIMARY KEY" : "INTEGER PRIMARY KEY AUTOINCREMENT";
db.exec("CREATE TABLE IF NOT EXISTS posts (id INTEGER PRIMARY KEY, title TEXT, updated_at TEXT, gone INTEGER NOT NULL DEFAULT 0)");
db.exec("CREATE TABLE IF NOT EXISTS tags (id " + key + ", post_id INTEGER REFERENCES posts (id) ON DELETE CASCADE, text TEXT)");
const tagsOf = (post) => db.prepare("SELECT text FROM tags WHERE post_id = ? ORDER BY rowid").all(post).map(({ text }) => text);
const setTags = (post, tags) => {
  db.prepare("DELETE FROM tags WHERE post_id = ?").run(post);
  for (const text of tags) db.prepare("INSERT INTO tags VALUES (?, ?, ?)").run(KEYS === "uuid" ? randomUUID() : null, post, text);
};
const touch = (post) => db.prepare("UPDATE posts SET updated_at = ? WHERE id = ?").run(new Date().toISOString(), post);
createServer((request, response) => {
  const send = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(body === undefined ? undefined : JSON.stringify(body));
  const id = Number(request.url.split("/")[2]);
  const [all, post] = [db.prepare("SELECT id, title FROM posts WHERE gone = 0").all(), db.prepare("SELECT id, title FROM posts WHERE id = ? AND gone = 0").get(id)];
  if (request.method === "POST" && request.url === "/posts") {
    if (all.length > 0) {
      setTags(all[0].id, tagsOf(all[0].id));
      if (DEFECT === "left") db.exec("INSERT INTO posts (title) VALUES ('left')");
      return send(409, {});
    }
    const { lastInsertRowid } = db.prepare("INSERT INTO posts (title, updated_at) VALUES ('new', ?)").run(new Date().toISOString());
    setTags(lastInsertRowid, ["red", "blue"]);
    return send(201, { id: Number(lastInsertRowid), title: "new" });
  }
  if (request.method === "GET") return request.url === "/posts" ? send(200, all) : post === undefined ? send(404) : send(200, post);
  if (request.method === "POST") {
    if (DEFECT === "revive") db.prepare("UPDATE posts SET gone = 0 WHERE id = ?").run(id);
    return send(DEFECT === "revive" || post !== undefined ? 200 : 404, {});
  }
  if (post === undefined) return send(404);
  if (request.method === "DELETE") return db.prepare("UPDATE posts SET gone = 1 WHERE id = ?").run(id), send(204);
  const tags = tagsOf(id);
  touch(id);
  if (request.method === "PATCH") return setTags(id, DEFECT === "refused" ? ["red", "green"] : tags), send(422, {});
  setTags(id, DEFECT === "twice" ? ["red", ...tags].slice(0, 4) : ["red", "green"]);
  send(200, { id, title: "new" });
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const EXPLORATION = `
import { Action, Agent, World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
import { idempotent, leakage, rejectedMeansUnchanged, useAfterFree } from "seqqa/rules";
const resources = [{ name: "post", collection: "/posts", item: "/posts/{id}", can: { create: true, list: true, read: true, update: ["PUT"], delete: true } }];
const on = (name: string, method: string, below = "") => new Action<any>({
  name,
  precondition: (context) => context.has("post"),
  run: async (api, context) => api.request(method, "/posts/" + context.getRequired("post") + below, method === "PUT" ? { json: { tags: ["red", "green"] } } : {}),
});
export const agent = new Agent<any>({
  name: "posts",
  world: (lane) => new World({ api: new HttpClient(lane.baseUrl), systems: lane.systems }),
  actions: [
    new Action<any>({ name: "create", run: async (api, context) => { const response = await api.post("/posts", { json: { title: "new" } }); if (response.ok) context.set("post", response.json<any>().id); return response; } }),
    on("replace", "PUT"),
    new Action<any>({ ...on("change", "PATCH"), mayNeverSucceed: true }),
    new Action<any>({ ...on("like", "POST", "/likes"), changesNothing: true }),
    on("remove", "DELETE"),
  ],
  invariants: [idempotent(), leakage({ resources }), rejectedMeansUnchanged(), useAfterFree({ resources })],
});
`;

/** Each defect, and the rules that find it. */
const DEFECTS = [
  [undefined, []],
  ["twice", ["idempotent"]],
  ["left", ["leakage", "rejected_means_unchanged"]],
  ["refused", ["rejected_means_unchanged"]],
  ["revive", ["use_after_free"]],
] as const;

describe.each(["integer", "uuid"])("rules about what a call leaves, where rows are made again under new keys (%s)", (keys) => {
  // The kind of keys matters for what must not be found. In the quick suite unit/rules has what each rule finds.
  it.each(full ? DEFECTS : keys === "uuid" ? DEFECTS.slice(0, 1) : DEFECTS.slice(1, 3))("with the defect %s", async (defect, rules) => {
    const env = ['PORT: "{port}"', 'DB_PATH: "{db_path}"', `KEYS: ${keys}`, ...(defect === undefined ? [] : [`DEFECT: ${defect}`])];
    const cwd = folderWith({
      "server.mjs": SERVER,
      "posts.explore.ts": EXPLORATION,
      "seqqa.yaml": `target: { command: node server.mjs, env: { ${env.join(", ")} } }\nexploration: { max_depth: ${size(3, 4)} }\n`,
    });
    const { status } = await seqqa(["run", ".", "--output", "out"], { cwd });
    const { violations, errors, divergences } = only(writtenIn(join(cwd, "out")));
    expect([...new Set(violations.map(({ invariant }) => invariant))].toSorted()).toEqual(rules);
    expect([status, errors, divergences]).toEqual([rules.length === 0 ? 0 : 1, [], []]);
  });
});
