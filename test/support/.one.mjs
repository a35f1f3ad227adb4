// test/support/draws.ts
var Draws = class {
  #state;
  constructor(seed2) {
    this.#state = seed2 | 0;
  }
  /** 0 (included) to 1 (excluded). */
  next() {
    this.#state = (this.#state + 1831565813) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
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
  late: ["slow", "pay"],
};
var OTHERS = ["pay", "cancel", "advance", "remove"];
function specOf(seed2, stores) {
  const draws = new Draws(seed2);
  for (let i = 0; i < 8; i++) draws.next();
  const draw = () => draws.next();
  const pick = (all) => draws.pick(all);
  const family = FAMILIES[seed2 % FAMILIES.length];
  const clock = pick(CLOCKS);
  const isTimed = family === "order" || family === "lease";
  const more = draw() < 0.5 ? [pick(OTHERS)] : [];
  const store2 = pick(stores);
  return {
    seed: seed2,
    family,
    store: store2,
    table: pick(TABLES),
    ids: pick(IDS),
    clock: isTimed && clock === "none" ? "iso" : clock,
    verbs: [.../* @__PURE__ */ new Set([...VERBS[family], ...more])],
    items: family === "lease" || family === "third" || family === "memory" ? 1 + Math.floor(draw() * 2) : 2,
    stamps: clock !== "none" && draw() < 0.4,
    noise: draw() < 0.15,
    ignored: draw() < 0.5 && store2 !== "redis",
    trace: draw() < 0.25,
    notes: pick(["json", "text"]),
    beats: draw() < 0.1 ? pick([150, 400]) : 0,
    chooses: family === "reference" || family === "secret" || draw() < 0.3,
  };
}

// test/support/soundness/run.ts
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join as join2 } from "node:path";
import { pathToFileURL } from "node:url";

// test/support/e2e.ts
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// test/support/results-schema.ts
import { Ajv } from "ajv";

// test/support/e2e.ts
var root = fileURLToPath(new URL("../..", import.meta.url));
var bin = join(root, "bin/seqqa.js");
var inTurn = Promise.resolve();
var clean = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:SEQQA_|FORCE_COLOR$|CI$|NODE_OPTIONS$|VITEST|BUG$|PORT$)/.test(name)),
);

// test/support/soundness/model.ts
function actionsOf({ verbs, chooses }) {
  const own = verbs.flatMap((verb) => (verb === "secret" ? ["secret_a", "secret_b"] : [verb]));
  return ["create", ...(chooses ? ["choose"] : []), ...own];
}

// test/support/soundness/run.ts
var here = join2(root, "test/support/soundness");
function writeTarget(folder, spec2, options) {
  writeFileSync(join2(folder, "seqqa.yaml"), configOf(spec2, options));
  writeFileSync(join2(folder, "target.explore.ts"), agentOf(spec2));
}
function configOf(spec2, { bug: bug2, url: url2 }) {
  const store2 = url2 === void 0 ? 'DB_PATH: "{db_path}"' : 'DATABASE_URL: "{db_url}"';
  return `${
    url2 === void 0
      ? ""
      : `db_url: ${url2}
`
  }target:
  command: node ${join2(here, "server.mjs")}
  ready: /health
  env:
    PORT: "{port}"
    ${store2}
    SPEC: '${JSON.stringify({ ...spec2, bug: bug2 })}'
    DRIVERS: ${pathToFileURL(join2(root, "package.json")).href}
exploration:
  max_steps: 20000
`;
}
function agentOf(spec2) {
  const actions = actionsOf(spec2).map((name) => {
    if (name === "create") {
      const body2 = spec2.ids === "client" ? "{ json: { ref: randomUUID() } }" : "{}";
      return `new Action({ name: "create", run: async (api, context) => { const response = await api.post("/items", ${body2}); if (response.statusCode === 201) context.ref = response.json().id; return response; } })`;
    }
    if (name === "choose")
      return `new Action({ name: "choose", run: async (api, context) => { const response = await api.get("/items"); const [first] = response.json(); if (first !== undefined) context.ref = first.id; return response; } })`;
    const [verb, word] = name.split("_");
    const body = word === void 0 ? "{}" : `{ json: { word: "${word}" } }`;
    return `new Action({ name: "${name}", precondition: (context) => context.has("ref"), run: async (api, context) => api.post(\`/items/\${encodeURIComponent(context.ref)}/${verb}\`, ${body}) })`;
  });
  const ignored = spec2.noise && spec2.ignored ? [`${spec2.table}.latency`] : [];
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

// test/support/.one.ts
import { mkdirSync } from "node:fs";
var [seed, bug, store, dir, url] = process.argv.slice(2);
var spec = specOf(Number(seed), [store]);
mkdirSync(dir, { recursive: true });
writeTarget(dir, spec, { bug: bug === "1", lanes: 1, ...(url ? { url } : {}) });
process.exit(0);
