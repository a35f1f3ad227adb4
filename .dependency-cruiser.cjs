/**
 * The import rules: imports point one way,
 * `cli -> run -> expanders, reports, store -> engine | lane -> state, systems -> model`.
 * A folder may import itself, what its row lists, and nothing else of `src`. An entry with a slash names one module or subfolder.
 */
const foundation = ["model"];
const allowed = {
  model: [],
  stores: foundation,
  state: foundation,
  // Whom connections trust and which way they go: for all that speak HTTP.
  network: foundation,
  // Registries of formats and of stores; what a row names is loaded at its first use.
  config: [...foundation, "network", "reports/formats/index.ts", "adapters/store-kinds.ts"],
  loader: foundation,
  targets: [...foundation, "config", "network", "stores/processes/process-identity.ts", "adapters/store-kinds.ts"],
  // What the main thread and lanes say to each other: plain data.
  messages: [...foundation, "state"],
  // The main thread's side.
  engine: [...foundation, "state", "messages"],
  // A journey can be an agent's setup.
  lane: [
    ...foundation,
    "network",
    "state",
    "stores",
    "targets",
    "journeys",
    "messages",
    "adapters/store-kinds.ts",
    "openapi/conformance/operation-index.ts",
  ],
  // Lanes are built here, from the plain data that describes them.
  "lane-pools": [
    ...foundation,
    "messages",
    "state",
    "targets",
    "engine",
    "lane",
    "races",
    "faults",
    "journeys",
    "adapters",
    "data",
    "network/connection-settings.ts",
    "network/secure-context.ts",
    "network/untrusted.ts",
  ],
  // The script of the page of a run hears the messages of its server.
  reports: [...foundation, "engine", "messages", "state/compare/differences.ts", "ui/messages.ts"],
  // A run is kept as reports may show it.
  "run-log": [...foundation, "config", "engine", "messages", "reports", "stores/connect/sqlite-driver.ts"],
  races: [...foundation, "state", "engine", "messages", "lane", "adapters/http"],
  faults: [...foundation, "state", "engine", "messages", "lane", "races"],
  journeys: [...foundation, "config", "adapters/http", "data"],
  mocking: [...foundation, "adapters/http"],
  data: foundation,
  clients: [...foundation, "adapters/http"],
  // Descriptions of APIs, read and made one of one version.
  openapi: [...foundation, "network", "config/read/nesting.ts"],
  rules: [...foundation, "adapters/http", "openapi"],
  // What a new folder has is init's, too; of values that are drawn samples are looked at.
  scaffold: [...foundation, "config", "openapi", "init", "data"],
  // Checkpoints for users' own tests: copies as a run makes them for lanes.
  testing: [...foundation, "adapters", "targets", "config/check/store-consent.ts"],
  // The page of a run: what it hears, and lanes to try actions on.
  ui: [...foundation, "engine/events.ts", "reports"],
  demo: foundation,
  // Two runs as reports show them.
  diff: [...foundation, "reports"],
  // States as a run log has them; rules by the names that they get.
  suggest: [...foundation, "run-log", "state/index.ts", "state/compare/differences.ts", "rules/rows/amounts.ts", "rules/rows/row-rules.ts"],
  // Rows of explored states made wrong: the names of their tables and columns as the rules over rows write them.
  strength: [...foundation, "run-log", "suggest", "rules/rows/table-names.ts"],
  init: foundation,
  run: [
    ...foundation,
    "network/connection-settings.ts",
    "messages",
    "config",
    "loader",
    "targets",
    "engine",
    "lane",
    "lane-pools",
    "reports",
    "run-log",
    "races",
    "faults",
    "journeys",
    "state",
    "adapters",
    // The operations that a run counts.
    "openapi",
  ],
  cli: [
    ...foundation,
    "network/connection-settings.ts",
    "config",
    "loader",
    "targets",
    "reports",
    "run-log",
    "diff",
    "suggest",
    "strength",
    "run",
    "ui",
    "scaffold",
    "demo",
    "init",
    "engine/events.ts",
    // What stays of a user's own store is written down alike by `clean` and at the end of a run.
    "stores/external/kept-file.ts",
  ],
};

const inSource = (entry) => (entry.endsWith(".ts") ? `^src/${entry.replace(".", "[.]")}$` : `^src/${entry}/`);

const layers = Object.entries(allowed).map(([folder, targets]) => ({
  name: `layer-${folder}`,
  comment: `src/${folder} may import ${targets.length === 0 ? "nothing else of src" : targets.join(", ")}.`,
  severity: "error",
  from: { path: `^src/${folder}/` },
  to: { path: "^src/", pathNot: [folder, ...targets].map(inSource) },
}));

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...layers,
    {
      name: "adapters",
      comment: "An adapter sees src/model, src/stores, src/network, its own folder and its driver.",
      severity: "error",
      from: { path: "^src/adapters/([^/]+)/", pathNot: "^src/adapters/(stub|queue)/" },
      to: { path: "^src/", pathNot: ["^src/adapters/$1/", "^src/model/", "^src/stores/", "^src/network/"] },
    },
    {
      name: "stub",
      comment: "The stub of a third party has the routes and replies of src/mocking, and bodies that are made from an OpenAPI description.",
      severity: "error",
      from: { path: "^src/adapters/stub/" },
      to: {
        path: "^src/",
        pathNot: [
          "^src/adapters/stub/",
          "^src/model/",
          "^src/stores/",
          "^src/network/",
          "^src/mocking/(route|reply)[.]ts$",
          "^src/openapi/",
          "^src/scaffold/infer/values/(build-value|built|schemas)[.]ts$",
        ],
      },
    },
    {
      name: "queue",
      comment: "Queues are an adapter that has Redis for those of BullMQ.",
      severity: "error",
      from: { path: "^src/adapters/queue/" },
      to: {
        path: "^src/",
        pathNot: [
          "^src/adapters/queue/",
          "^src/model/",
          "^src/stores/",
          "^src/network/",
          "^src/adapters/redis/(index|connect/redis-url)[.]ts$",
        ],
      },
    },
    {
      name: "report-app",
      comment: "The script of the HTML report runs in browsers: its own modules, those that run anywhere, and what is bundled with it.",
      severity: "error",
      from: { path: "^src/reports/html/app/" },
      to: {
        path: "^(src/|node:)",
        pathNot: [
          "^src/reports/(html/(app/|(graph/(embedded|path-follower)|text/(pretty-json|anchor-of))[.]ts$)|console/text/printable[.]ts$)",
          "^src/(state/compare/differences|model/results/[a-z-]+|ui/messages)[.]ts$",
        ],
      },
    },
    {
      name: "report-app-is-bundled",
      comment: "Nothing else runs what is made for browsers.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/reports/html/app/" },
      to: { path: "^src/reports/html/app/" },
    },
    {
      name: "model-stands-alone",
      comment: "What users declare runs anywhere: no node: module and no package.",
      severity: "error",
      from: { path: "^src/model/" },
      to: { dependencyTypes: ["core", "npm", "npm-dev", "npm-optional", "npm-peer", "npm-no-pkg", "npm-unknown"] },
    },
    {
      name: "plain-messages",
      comment: "What both threads share holds types and pure codecs: no node: module, no package, nothing of the engine.",
      severity: "error",
      from: { path: "^src/engine/messages[.]ts$" },
      to: { pathNot: ["^src/model/", "^src/state/(facts|knowledge)[.]ts$", "^src/targets/lane-spec[.]ts$"] },
    },
    {
      name: "folder-without-a-rule",
      comment: "A new folder under src needs a row in .dependency-cruiser.cjs.",
      severity: "error",
      from: { path: "^src/[^/]+/", pathNot: [...Object.keys(allowed), "adapters"].map(inSource) },
      to: {},
    },
    {
      name: "public-index",
      comment: "src/index.ts is for users; inside, import the module itself.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^src/index[.]ts$" },
    },
    { name: "no-cycles", comment: "Cycles of types count.", severity: "error", from: {}, to: { circular: true } },
    { name: "resolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "no-dev-dependencies",
      comment: "The package runs on its dependencies; type-only imports of optional peers aside.",
      severity: "error",
      // scripts/build-report.mjs bundles what the report's own script uses.
      from: { path: "^(src|bin)/", pathNot: "^src/reports/html/app/" },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only", "npm-peer", "npm-optional"], pathNot: "node_modules/@types/" },
    },
    {
      name: "declared-dependencies",
      severity: "error",
      from: { path: "^(src|bin)/" },
      // Optional peers: imported when first needed, with a message that says what to install.
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"], pathNot: "node_modules/(pg|mysql2|ioredis|bullmq|amqplib|@nats-io)/" },
    },
    {
      name: "no-tests",
      comment: "The package does not reach into its tests.",
      severity: "error",
      from: { path: "^(src|bin)/" },
      to: { path: "^(test|bench|fixtures|scripts)/" },
    },
  ],
  options: {
    doNotFollow: { path: ["node_modules", "^dist/"] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".js", ".mjs", ".json"],
    },
  },
};
