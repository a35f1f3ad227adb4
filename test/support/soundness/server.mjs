// The API of a generated target. The variable SPEC describes its behaviour as JSON (see spec.ts). It uses node:http and the driver of its store,
// without a framework.
import { createHash, randomBytes, randomInt, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { openStore } from "./stores.mjs";

const spec = JSON.parse(process.env.SPEC);
const db = await openStore(spec);
/** State that the target keeps in memory, in addition to its store. */
const memory = new Map();

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghijklmnopqrstuvwxyz_-";
const nano = (length) => Array.from(randomBytes(length), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
const hash = (text) => createHash("sha256").update(text).digest("hex");
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const makers = {
  uuid: () => randomUUID(),
  hex: () => randomBytes(4).toString("hex"),
  nano: () => nano(10),
  /** Returns ids of which about half consist of digits only. */
  mixed: () => (randomInt(2) === 0 ? String(randomInt(100_000, 1_000_000)) : `a${randomBytes(3).toString("hex")}`),
  prefix: () => `ORD-${randomBytes(3).toString("hex")}`,
  ulid: () => Date.now().toString(36).toUpperCase().padStart(10, "0") + nano(12),
  big: () => String(randomInt(100_000_000, 999_999_999)),
  slug: (count) => `item-${count + 1}`,
  data: (count) => Buffer.from(JSON.stringify({ n: count + 1, kind: "order" })).toString("base64"),
};

const clocks = {
  iso: (ms) => new Date(ms).toISOString(),
  ms: (ms) => String(ms),
  s: (ms) => String(Math.floor(ms / 1000)),
  text: (ms) => new Date(ms).toISOString().slice(0, 19).replace("T", " "),
};
const at = (offsetMs) => clocks[spec.clock](Date.now() + offsetMs);
const momentOf = (text) =>
  /^\d+$/.test(text)
    ? Number(text) * (spec.clock === "s" ? 1000 : 1)
    : Date.parse(spec.clock === "text" ? `${text.replace(" ", "T")}Z` : text);

async function stamped(set) {
  if (spec.stamps) set.updated_at = at(0);
  if (spec.noise) set.latency = String(randomInt(1, 1_000_000) / 1000);
  if (spec.trace) set.trace = randomUUID();
  return set;
}

async function create(body) {
  const items = await db.all();
  if (items.length >= spec.items) return [409, { error: "enough" }];
  const status = spec.family === "coin" ? (Math.random() < 0.5 ? "new" : "odd") : "new";
  const made = { ref: "", status, amount: "1", steps: "0", note: "", expires_at: "", secret: "" };
  if (spec.clock !== "none") made.created_at = at(0);
  if (spec.ids === "client") made.ref = body.ref;
  else if (spec.ids !== "auto") made.ref = makers[spec.ids](items.length);
  if (spec.family === "reference" && items.length > 0) made.note = noteOf(nameOf(items.at(-1)));
  const id = await db.insert(await stamped(made));
  return [201, shown({ ...made, id })];
}

const nameOf = (item) => (spec.ids === "auto" ? String(item.id) : item.ref);
const noteOf = (name) => (spec.notes === "json" ? JSON.stringify({ after: { order: name } }) : `follows ORD/${name}, see there`);
const namedBy = (note) => (spec.notes === "json" ? JSON.parse(note).after.order : /ORD\/([^,]*),/.exec(note)[1]);
const shown = (item) => ({ id: nameOf(item), status: item.status, ...(spec.trace && { trace: randomUUID() }) });

async function oldestFirst() {
  const items = await db.all();
  return items.toSorted((a, b) => (a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : a.id - b.id));
}

async function change(item, set) {
  await db.update(item.id, await stamped(set));
  return [200, shown({ ...item, ...set })];
}
/** Changes an item. If the defect is planted, it sets the amount to -1, which breaks the invariant. */
const spoil = (item, set) => change(item, spec.bug ? { ...set, amount: "-1" } : set);

const verbs = {
  async pay(item, items) {
    if (item.status !== "new") return [409, {}];
    const isSecond = items.some((other) => other.id !== item.id && other.status === "paid");
    return spec.family === "second" && isSecond ? spoil(item, { status: "paid" }) : change(item, { status: "paid" });
  },
  async cancel(item) {
    if (item.status !== "new" && item.status !== "odd") return [409, {}];
    return spec.family === "coin" && item.status === "odd" ? spoil(item, { status: "cancelled" }) : change(item, { status: "cancelled" });
  },
  async advance(item) {
    const steps = Number(item.steps);
    if (steps >= 4) return [409, {}];
    const cached = memory.get(item.id) ?? 0;
    memory.set(item.id, cached + 1);
    const count = spec.family === "memory" ? cached + 1 : steps + 1;
    const set = { steps: String(steps + 1) };
    return count >= 3 && (spec.family === "memory" || spec.family === "third") ? spoil(item, set) : change(item, set);
  },
  /** Settles the oldest item. The defect shows only if a younger item is paid and the oldest one is still new. */
  async settle(_item, items) {
    const [first, ...rest] = await oldestFirst();
    if (first.status === "settled") return [409, {}];
    const isBad = items.length > 1 && first.status === "new" && rest.some(({ status }) => status === "paid");
    return isBad && spec.family === "order" ? spoil(first, { status: "settled" }) : change(first, { status: "settled" });
  },
  async lock(item) {
    return item.expires_at !== "" && momentOf(item.expires_at) > Date.now() ? [423, {}] : change(item, { expires_at: at(spec.lockMs) });
  },
  async release(item) {
    return item.expires_at === "" ? [409, {}] : change(item, { expires_at: at(-5_000) });
  },
  async publish(item) {
    if (item.status === "out") return [409, {}];
    if (item.expires_at !== "" && momentOf(item.expires_at) > Date.now()) return [423, {}];
    return spec.family === "lease" && item.expires_at !== "" ? spoil(item, { status: "out" }) : change(item, { status: "out" });
  },
  /** Works on the item that the note names. */
  async follow(item, items) {
    if (item.note === "") return [409, {}];
    const named = items.find((other) => nameOf(other) === namedBy(item.note));
    if (named === undefined) return [404, {}];
    if (named.status === "followed") return [409, {}];
    return spec.family === "reference" && named.status === "paid"
      ? spoil(named, { status: "followed" })
      : change(named, { status: "followed" });
  },
  /** Stores a hash of the sent word. Equal words have equal hashes. */
  async secret(item, items, body) {
    const secret = hash(body.word);
    const isSame = items.some((other) => other.id !== item.id && other.secret === secret);
    return spec.family === "secret" && isSame ? spoil(item, { secret }) : change(item, { secret });
  },
  async slow(item) {
    if (item.steps !== "0") return [409, {}];
    if (spec.late.when === "paid" && item.status !== "paid") return change(item, { steps: "1" });
    const set = { steps: "1", status: "late" };
    setTimeout(() => void (spec.family === "late" ? spoil(item, set) : change(item, set)).catch(() => undefined), spec.late.ms);
    if (spec.late.first === "nothing") return [200, shown(item)];
    return change(item, { steps: "1" });
  },
  async remove(item) {
    await db.remove(item.id);
    return [204];
  },
};

async function answer(method, url, body) {
  const [, resource, name, verb] = url.split("/").map(decodeURIComponent);
  if (resource === "health") return [200, {}];
  if (resource === "audit") return [200, { bad: (await db.all()).filter(({ amount }) => amount === "-1").length }];
  if (resource === "state") return [200, db.shown()];
  if (resource === "reset") {
    memory.clear();
    db.reset();
    return [204];
  }
  if (method === "GET") return [200, (await db.all()).map(shown)];
  if (name === undefined) return create(body);
  const items = await db.all();
  const item = items.find((one) => nameOf(one) === name);
  if (item === undefined || !spec.verbs.includes(verb)) return [404, {}];
  return verbs[verb](item, items, body);
}

if (spec.beats > 0) setInterval(() => void db.beat().catch(() => undefined), spec.beats);
let last = Promise.resolve();
createServer((request, response) => void serve(request, response)).listen(Number(process.env.PORT), process.env.HOST ?? "127.0.0.1");

async function serve(request, response) {
  let text = "";
  for await (const chunk of request) text += chunk;
  // Requests are handled one after another, because these tests do not concern races.
  const turn = last.then(() => answer(request.method, request.url, text === "" ? {} : JSON.parse(text)));
  last = turn.catch(() => undefined);
  try {
    const [status, value] = await turn;
    if (spec.family === "jitter") await pause(randomInt(0, 3));
    response.writeHead(status, { "content-type": "application/json" }).end(value === undefined ? undefined : JSON.stringify(value));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}
