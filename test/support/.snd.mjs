// test/support/draws.ts
var Draws = class {
  #state;
  constructor(seed) {
    this.#state = seed | 0;
  }
  /** 0 (included) to 1 (excluded). */
  next() {
    this.#state = this.#state + 1831565813 | 0;
    let t = Math.imul(this.#state ^ this.#state >>> 15, 1 | this.#state);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return ((t ^ t >>> 14) >>> 0) / 2 ** 32;
  }
  /** 0 (included) to `end` (excluded). */
  below(end) {
    return Math.floor(this.next() * end);
  }
  chance(probability) {
    return this.next() < probability;
  }
  pick(items) {
    return items[this.below(items.length)];
  }
};

// test/support/soundness/spec.ts
var FAMILIES = ["second", "third", "order", "lease", "reference", "secret", "coin", "memory", "late"];
var IDS = ["auto", "uuid", "hex", "nano", "prefix", "ulid", "big", "slug", "data", "client"];
var CLOCKS = ["none", "iso", "ms", "s", "text"];
var TABLES = ["orders", "tickets", "notes", "line_items"];
var VERBS = {
  second: ["pay"],
  third: ["advance"],
  order: ["pay", "settle"],
  lease: ["lock", "release", "publish"],
  reference: ["pay", "follow"],
  secret: ["secret"],
  coin: ["cancel", "pay"],
  memory: ["advance"],
  late: ["slow", "pay"]
};
var OTHERS = ["pay", "cancel", "advance", "remove"];
function specOf(seed, stores2) {
  const draws = new Draws(seed);
  for (let i = 0; i < 8; i++) draws.next();
  const draw = () => draws.next();
  const pick = (all) => draws.pick(all);
  const family = FAMILIES[seed % FAMILIES.length];
  const clock = pick(CLOCKS);
  const isTimed = family === "order" || family === "lease";
  const more = draw() < 0.5 ? [pick(OTHERS)] : [];
  const store = pick(stores2);
  return {
    seed,
    family,
    store,
    table: pick(TABLES),
    ids: pick(IDS),
    clock: isTimed && clock === "none" ? "iso" : clock,
    verbs: [.../* @__PURE__ */ new Set([...VERBS[family], ...more])],
    items: family === "lease" || family === "third" || family === "memory" ? 1 + Math.floor(draw() * 2) : 2,
    stamps: clock !== "none" && draw() < 0.4,
    noise: draw() < 0.15,
    ignored: draw() < 0.5 && store !== "redis",
    trace: draw() < 0.25,
    notes: pick(["json", "text"]),
    beats: draw() < 0.1 ? pick([150, 400]) : 0,
    chooses: family === "reference" || family === "secret" || draw() < 0.3
  };
}

// test/support/soundness/model.ts
function actionsOf({ verbs, chooses }) {
  const own = verbs.flatMap((verb) => verb === "secret" ? ["secret_a", "secret_b"] : [verb]);
  return ["create", ...chooses ? ["choose"] : [], ...own];
}
function modelOf(spec) {
  const root2 = { items: [], context: void 0 };
  const seen = /* @__PURE__ */ new Set([textOf(root2)]);
  let frontier = [[root2, []]];
  let found;
  while (frontier.length > 0) {
    const next = [];
    for (const [state, path] of frontier) {
      for (const action of actionsOf(spec)) {
        const copy = structuredClone(state);
        const isBad = act(spec, copy, action);
        if (isBad) {
          found ??= [...path, action];
          continue;
        }
        const text = textOf(copy);
        if (seen.has(text)) continue;
        seen.add(text);
        next.push([copy, [...path, action]]);
      }
    }
    frontier = next;
  }
  return { states: seen.size, path: found };
}
function act(spec, state, action) {
  const { items } = state;
  if (action === "create") {
    if (items.length >= spec.items) return false;
    const isCounted = spec.ids === "slug" || spec.ids === "data";
    const name = isCounted ? items.length + 1 : Math.max(0, state.context ?? 0, ...items.flatMap(({ name: one2, after: after2 }) => [one2, after2 ?? 0])) + 1;
    const after = spec.family === "reference" ? items.at(-1)?.name : void 0;
    items.push({ name, status: "new", steps: 0, after, lock: "none", word: "" });
    state.context = name;
    return false;
  }
  if (action === "choose") {
    if (items.length > 0) state.context = items[0].name;
    return false;
  }
  const item = items.find(({ name }) => name === state.context);
  if (item === void 0) return false;
  const others = items.filter((one2) => one2 !== item);
  switch (action) {
    case "pay": {
      if (item.status !== "new") return false;
      item.status = "paid";
      return spec.family === "second" && others.some(({ status }) => status === "paid");
    }
    case "cancel":
      if (item.status === "new") item.status = "cancelled";
      return false;
    case "advance":
      if (item.steps >= 4) return false;
      item.steps++;
      return (spec.family === "third" || spec.family === "memory") && item.steps >= 3;
    case "settle": {
      const first = items[0];
      if (first.status === "settled") return false;
      const isBad = spec.family === "order" && first.status === "new" && items.slice(1).some(({ status }) => status === "paid");
      first.status = "settled";
      return isBad;
    }
    case "lock":
      if (item.lock !== "held") item.lock = "held";
      return false;
    case "release":
      if (item.lock !== "none") item.lock = "over";
      return false;
    case "publish": {
      if (item.status === "out" || item.lock === "held") return false;
      item.status = "out";
      return spec.family === "lease" && item.lock === "over";
    }
    case "follow": {
      const named = items.find(({ name }) => name === item.after);
      if (named === void 0 || named.status === "followed") return false;
      const isBad = spec.family === "reference" && named.status === "paid";
      named.status = "followed";
      return isBad;
    }
    case "secret_a":
    case "secret_b":
      item.word = action;
      return spec.family === "secret" && others.some(({ word }) => word === item.word);
    case "slow":
      if (item.steps !== 0) return false;
      item.steps = 1;
      item.status = "late";
      return spec.family === "late";
    case "remove":
      items.splice(items.indexOf(item), 1);
      return false;
    default:
      throw new Error(`The model knows no action ${action}.`);
  }
}
function textOf({ items, context }) {
  const names = [.../* @__PURE__ */ new Set([...items.flatMap(({ name, after }) => [name, after]), context])].filter((name) => name !== void 0).toSorted((a, b) => a - b);
  const rank = (name) => name === void 0 ? -1 : names.indexOf(name);
  return JSON.stringify([items.map((item) => ({ ...item, name: rank(item.name), after: rank(item.after) })), rank(context)]);
}

// test/support/soundness/run.ts
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as join2 } from "node:path";
import { pathToFileURL } from "node:url";

// test/support/e2e.ts
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// test/support/at-end.ts
var cleanUps = [];
function atEnd(cleanUp) {
  cleanUps.push(cleanUp);
}

// test/support/results-schema.ts
import { Ajv } from "ajv";

// test/support/e2e.ts
var root = fileURLToPath(new URL("../..", import.meta.url));
var bin = join(root, "bin/seqqa.js");
var inTurn = Promise.resolve();
function startProgram(program, args, { cwd = root, env = {}, timeoutMs = 1e5 } = {}) {
  const child = spawn(program, [...args], { cwd, env: { ...clean, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const pid = child.pid;
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => said.stdout += text);
  child.stderr.setEncoding("utf8").on("data", (text) => said.stderr += text);
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  const ended = new Promise((resolve) => {
    child.once("close", (status, signal) => {
      clearTimeout(timer);
      resolve({ status, signal, ...said, pid });
    });
  });
  atEnd(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  });
  return { child, pid, ended, said };
}
var clean = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:SEQQA_|FORCE_COLOR$|CI$|NODE_OPTIONS$|VITEST|BUG$|PORT$)/.test(name))
);

// test/support/soundness/run.ts
var here = join2(root, "test/support/soundness");
async function runTarget(spec, options) {
  const folder = mkdtempSync(join2(tmpdir(), "seqqa-sound-"));
  try {
    writeTarget(folder, spec, options);
    const args = [join2(root, "bin/seqqa.js"), "run", ".", "--parallel", String(options.lanes), "--output", "out", "--max-depth", "9"];
    const { ended } = startProgram(process.execPath, args, { cwd: folder, timeoutMs: 12e4 });
    const { status, stdout, stderr } = await ended;
    let explored;
    try {
      explored = JSON.parse(readFileSync(join2(folder, "out/results.json"), "utf8")).explorations[0];
    } catch {
    }
    return { status, explored, said: stdout + stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
function writeTarget(folder, spec, options) {
  writeFileSync(join2(folder, "seqqa.yaml"), configOf(spec, options));
  writeFileSync(join2(folder, "target.explore.ts"), agentOf(spec));
}
function configOf(spec, { bug, url }) {
  const store = url === void 0 ? 'DB_PATH: "{db_path}"' : 'DATABASE_URL: "{db_url}"';
  return `${url === void 0 ? "" : `db_url: ${url}
`}target:
  command: node ${join2(here, "server.mjs")}
  ready: /health
  env:
    PORT: "{port}"
    ${store}
    SPEC: '${JSON.stringify({ ...spec, bug })}'
    DRIVERS: ${pathToFileURL(join2(root, "package.json")).href}
exploration:
  max_steps: 20000
`;
}
function agentOf(spec) {
  const actions = actionsOf(spec).map((name) => {
    if (name === "create") {
      const body2 = spec.ids === "client" ? "{ json: { ref: randomUUID() } }" : "{}";
      return `new Action({ name: "create", run: async (api, context) => { const response = await api.post("/items", ${body2}); if (response.statusCode === 201) context.ref = response.json().id; return response; } })`;
    }
    if (name === "choose")
      return `new Action({ name: "choose", run: async (api, context) => { const response = await api.get("/items"); const [first] = response.json(); if (first !== undefined) context.ref = first.id; return response; } })`;
    const [verb, word] = name.split("_");
    const body = word === void 0 ? "{}" : `{ json: { word: "${word}" } }`;
    return `new Action({ name: "${name}", precondition: (context) => context.has("ref"), run: async (api, context) => api.post(\`/items/\${encodeURIComponent(context.ref)}/${verb}\`, ${body}) })`;
  });
  const ignored = spec.noise && spec.ignored ? [`${spec.table}.latency`] : [];
  return `import { randomUUID } from "node:crypto";
import { Action, Agent, Invariant, World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
export const agent = new Agent<any>({
  name: "target",
  world: (lane) => new World({ api: new HttpClient(lane.baseUrl), systems: lane.systems, ignore: ${JSON.stringify(ignored)} }),
  actions: [
    ${actions.join(",\n    ")},
  ],
  invariants: [new Invariant({ name: "nothing_spoilt", check: async (world: any) => (await world.api.get("/audit")).json().bad === 0 })],
});
void randomUUID;
`;
}

// snd.tmp.ts
var [from, to, stores = "sqlite", lanesArg] = process.argv.slice(2);
var list = stores.split(",");
var one = async (seed) => {
  const spec = specOf(seed, list);
  const model = modelOf(spec);
  const lanes = lanesArg ? Number(lanesArg) : [1, 2, 4][seed % 3];
  const url = spec.store === "sqlite" ? {} : { url: { postgres: "postgresql://postgres@127.0.0.1:5432/sound_t", mysql: "mysql://root@127.0.0.1:3306/sound_t", redis: "redis://127.0.0.1:6379/9" }[spec.store] };
  for (const bug of [true, false]) {
    const t = performance.now();
    const { status, explored, said } = await runTarget(spec, { bug, lanes, ...url });
    const found = explored?.violations.length ?? 0;
    const bad = bug ? found === 0 && status === 0 : found > 0;
    const odd = bug ? status !== 1 : status !== 0;
    const d = explored?.divergences.map((x) => x.kind).join() ?? "";
    console.log(`${bad ? "BAD " : odd ? "odd " : "ok  "} ${seed} ${bug ? "bug " : "twin"} ${spec.family} ${spec.store} ids=${spec.ids} clock=${spec.clock}${spec.stamps ? "+" : ""} noise=${spec.noise ? spec.ignored ? "ign" : "yes" : "no"} trace=${spec.trace} beats=${spec.beats} lanes=${lanes}: exit ${status}, found ${found}, states ${explored?.statesVisited}/${model.states}, steps ${explored?.steps} [${d}] ${performance.now() - t | 0}ms ${explored?.verdict?.text ?? said.slice(-300)} ${explored?.digest?.slice(0, 8)}`);
    if (process.env.SHOW) console.log(said);
  }
};
var seeds = Array.from({ length: Number(to) - Number(from) }, (_, i) => Number(from) + i);
var work = async () => {
  for (let s = seeds.shift(); s !== void 0; s = seeds.shift()) await one(s);
};
await Promise.all(Array.from({ length: Number(process.env.CONC ?? 2) }, work));
process.exit(0);
