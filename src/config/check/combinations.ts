import { STORE_KIND_NAMES, STORE_KINDS, storeKindOf } from "../../adapters/store-kinds.ts";
import { refuseClocks, refuseStubs } from "./clocks-and-stubs.ts";
import type { Filled, FilledContext, FilledSystem } from "./filled.ts";
import { nearest } from "../../model/text/nearest.ts";
import { problem, shown } from "../problem.ts";
import { misspeltPlaceholder, storePart, storePlaceholder } from "../store-parts.ts";

/**
 * Rejects configuration values that are valid individually but contradict each other.
 * @throws SeqqaError `CONFIG_COMBINATION`.
 */
export function refuseBadCombinations(values: Filled, context: FilledContext): void {
  const refuse = (key: string, what: string, hint?: string): never => {
    throw problem("CONFIG_COMBINATION", context.sources[key]?.replace(/^\w+ /, ""), what, hint);
  };
  stores(values, refuse);
  refuseStubs("systems", values.systems, refuse);
  target(values, context, refuse);
  lanes(values, context, refuse);
  for (const [index, { systems }] of (values.lanes ?? []).entries()) refuseStubs(`lanes[${index}].systems`, systems, refuse);
  services(values, refuse);
  coverage(values, context, refuse);
  if (context.noInfra) noInfra(values, context, refuse);
}

type Refuse = (key: string, what: string, hint?: string) => never;

function stores(values: Filled, refuse: Refuse): void {
  const { dbUrl, dbBackend, systems, lanes: running } = values;
  const isNamed =
    dbUrl !== undefined || systems?.["db"] !== undefined || running?.some((lane) => lane.dbUrl ?? lane.systems?.["db"]) === true;
  if (dbBackend !== undefined && !isNamed) {
    refuse("db_backend", `db_backend is ${dbBackend}, but db_url is not set.`, "Set db_url to the URL of the store, or remove db_backend.");
  }
  if (dbUrl !== undefined && dbBackend !== undefined && storeKindOf(dbUrl) !== dbBackend) {
    refuse(
      "db_backend",
      `db_backend is ${dbBackend}, but db_url is the URL of a ${storeKindOf(dbUrl)} store.`,
      "Remove db_backend. seqqa knows the kind of the store from db_url.",
    );
  }
  sameDatabase("", dbUrl, systems, refuse);
  checkSystems("systems", systems, refuse, values.target === undefined && values.baseUrl !== undefined);
  refuseClocks(values, refuse);
}

/**
 * Throws an error if `db_url` and `systems.db.url` differ. Both keys set the URL of the store `db`.
 * @param of The lane as a prefix for messages, for example `lanes[1].`.
 */
function sameDatabase(of: string, dbUrl: string | undefined, systems: Filled["systems"], refuse: Refuse): void {
  const url = systems?.["db"]?.url;
  if (dbUrl === undefined || url === undefined || url === dbUrl) return;
  refuse(
    "db_url",
    `${of}db_url and ${of}systems.db.url are the URLs of different stores.`,
    "Remove one of the two keys, because db_url is short for systems.db.url.",
  );
}

/**
 * Rejects contradictions in the stores of the configuration or of a lane.
 * @param isExternal `true` if the stores belong to a target that already runs.
 */
function checkSystems(
  section: string,
  systems: Readonly<Record<string, FilledSystem>> | undefined,
  refuse: Refuse,
  isExternal: boolean,
): void {
  for (const [name, { url, adapter, options, checkpoint, isolation }] of Object.entries(systems ?? {})) {
    if ((url as string | undefined) === undefined) {
      refuse(`${section}.${name}.url`, `${section}.${name}.url is missing.`, "Write the URL of the store, for example sqlite:./shop.db.");
    }
    if (adapter !== undefined) continue;
    if (options !== undefined) {
      refuse(
        `${section}.${name}.options`,
        `${section}.${name}.options is set without ${section}.${name}.adapter. Only a store with its own \`adapter\` can have \`options\`.`,
        "Remove `options`, or set `adapter` to the package or module of your store adapter.",
      );
    }
    const kind = storeKindOf(url)!;
    if (isExternal && STORE_KINDS[kind].isOnlyCopied === true) {
      refuse(
        section === "systems" ? `${section}.${name}.url` : "lanes",
        `seqqa cannot restore the messages of ${section}.${name}, because this ${kind} server belongs to a target that already runs.`,
        "Start the target with target.command. Each lane then gets its own queues.",
      );
    }
    const checkpoints = ["auto", ...STORE_KINDS[kind].checkpoints];
    if (checkpoint !== undefined && !checkpoints.includes(checkpoint)) {
      refuse(
        `${section}.${name}.checkpoint`,
        `${section}.${name}.checkpoint is ${checkpoint}, but seqqa cannot use this checkpoint with ${kind} stores.`,
        `Use one of: ${checkpoints.join(", ")}.`,
      );
    }
    if (isolation !== undefined && STORE_KINDS[kind].isolations === undefined) {
      const choosing = STORE_KIND_NAMES.filter((one) => STORE_KINDS[one].isolations !== undefined).join(" and ");
      refuse(
        `${section}.${name}.isolation`,
        `${section}.${name}.isolation works only with ${choosing} stores, but this store is ${kind}.`,
        `Remove ${section}.${name}.isolation.`,
      );
    }
  }
}

/** Rejects `coverage.code` for a target whose process seqqa does not start. */
function coverage({ coverage: declared, target: started }: Filled, { noInfra }: FilledContext, refuse: Refuse): void {
  if (declared?.code !== true || (started?.command !== undefined && !noInfra)) return;
  const why =
    started?.module !== undefined
      ? "seqqa cannot measure a target.module, which runs in the process of seqqa"
      : `seqqa cannot measure a target that it does not start (${noInfra ? "--no-infra" : "target.command is not set"})`;
  refuse("coverage.code", `coverage.code is true, but ${why}.`, "Start the target with target.command, or remove coverage.code.");
}

function target(values: Filled, context: FilledContext, refuse: Refuse): void {
  const { target: declared, lanes: running } = values;
  if (declared === undefined) return;
  if (declared.command === undefined && declared.module === undefined) {
    const set = Object.keys(context.sources).find((key) => key.startsWith("target.")) ?? "target";
    refuse(
      context.sources["target"] === undefined ? set : "target",
      "`target` contains neither `command` nor `module`, so seqqa cannot start the API.",
      "Set target.command or target.module.",
    );
  }
  if (declared.command !== undefined && declared.module !== undefined) {
    refuse("target.module", "target.command and target.module cannot be used together.", "Remove one of the two keys.");
  }
  if (declared.rollback === "restart" && (declared.command === undefined || context.noInfra)) {
    refuse(
      "target.rollback",
      `target.rollback is restart, but ${context.noInfra ? "with --no-infra" : "with target.module"} seqqa starts no process of the target, so seqqa cannot restart the target.`,
      "Start the target with target.command, or set target.rollback to `stores`.",
    );
  }
  if (running !== undefined && !context.noInfra) {
    refuse(
      "lanes",
      "`lanes` and `target` are both set: `lanes` lists running targets, but `target` says how seqqa starts targets.",
      "Remove `lanes` or `target`, or add --no-infra to use the running targets.",
    );
  }
  const given = context.sources["base_url"];
  if (given !== undefined && !given.startsWith("file ") && !context.noInfra) {
    refuse(
      "base_url",
      "base_url is the URL of a running target, but the configuration also contains `target`, which says how seqqa starts a target.",
      "Add --no-infra to use the running target.",
    );
  }
  const warmUp = (declared.warmUp ?? []).flatMap((step) => (typeof step === "string" ? [] : [step]));
  for (const [index, { method, path, headers, json, command }] of warmUp.entries()) {
    const isRequest = [method, path, headers, json].some((part) => part !== undefined);
    if ((command === undefined) === (path === undefined) || (command !== undefined && isRequest)) {
      refuse(
        "target.warm_up",
        `target.warm_up[${index}] must contain either a path or a command.`,
        "Write { method: POST, path: /setup } or { command: npm run migrate }.",
      );
    }
  }
  if (declared.command === undefined) {
    for (const key of ["warm_up", "cwd", "ready", "ready_timeout"].map((name) => `target.${name}`)) {
      if (context.sources[key] === undefined) continue;
      refuse(key, `${key} works only with target.command.`, "With target.module, do the same in createTarget(lane).");
    }
  }
  const headers = warmUp.flatMap((step) => Object.values(step.headers ?? {}));
  const commands = warmUp.flatMap(({ command }) => (command === undefined ? [] : [command]));
  checkNames("target.command", declared.command ?? "", values, refuse);
  for (const text of [...commands, ...headers]) checkNames("target.warm_up", text, values, refuse);
  for (const [name, text] of Object.entries(declared.env ?? {})) checkNames(`target.env.${name}`, text, values, refuse);
}

/**
 * Throws an error if a placeholder of the target, for example `{host:cache}`, names an unknown store or a part that the store's URL lacks.
 * @param key The configuration key with the value `text`. Messages show where this key is in the file.
 */
function checkNames(key: string, text: string, values: Filled, refuse: Refuse): void {
  const systems = Object.entries(values.systems ?? {}).map(([name, { url }]) => [name, url] as const);
  const urls = new Map([...systems, ...(values.dbUrl === undefined ? [] : [["db", values.dbUrl] as const])]);
  for (const [whole, inside = ""] of text.matchAll(/(?<!\$)\{([^{}]*)\}/g)) {
    const asked = storePlaceholder(inside);
    const meant = asked === undefined ? misspeltPlaceholder(inside, new Set(["db", ...urls.keys()])) : undefined;
    if (meant !== undefined) refuse(key, `${whole} is not a placeholder.`, `Write ${meant.join(" or ")}.`);
    if (asked === undefined) continue;
    const { store, part } = asked;
    const isNamed = inside.includes(":");
    const url = urls.get(store);
    if (url === undefined) {
      // `{db_url}` is allowed without a declared database, because the target then gets a new SQLite file.
      if (store === "db" && (part === "url" || part === "database" || part === "path")) continue;
      const near = isNamed ? nearest(store, [...urls.keys()]) : undefined;
      refuse(
        key,
        `The placeholder ${whole} refers to the store ${store}, ${isNamed ? "which is not in `systems`" : "but db_url is not set"}.`,
        near !== undefined
          ? `Did you mean {${part}:${near}}?`
          : isNamed
            ? `Add the store ${store} to \`systems\`.`
            : "Set db_url to the URL of the store.",
      );
    } else if (part !== "url" && storePart(url, part) === undefined) {
      refuse(
        key,
        `The placeholder ${whole} needs a ${part} in the URL of the store, but this URL has no ${part}.`,
        part === "password" || part === "user"
          ? `Add the ${part} to the URL, or remove the placeholder.`
          : `Remove the placeholder, or use ${isNamed ? `{url:${store}}` : "{db_url}"}.`,
      );
    }
  }
}

function lanes(values: Filled, context: FilledContext, refuse: Refuse): void {
  const { lanes: running, parallel } = values;
  if (running === undefined) {
    if (values.target === undefined && values.baseUrl !== undefined && typeof parallel === "number" && parallel > 1) {
      refuse(
        "parallel",
        `\`parallel\` is ${parallel}, but base_url gives only one running target. Each lane needs its own target.`,
        "Set `parallel` to 1, list running targets under `lanes`, or use target.command, which starts one target for each lane.",
      );
    }
    return;
  }
  if (running.length === 0) refuse("lanes", "`lanes` is an empty list.", "List at least one running target, or remove `lanes`.");
  // A base_url in the file may be only the URL that reports show. But a base_url in a flag or environment variable is the target that the user wants
  // to test.
  const given = context.sources["base_url"];
  if (given !== undefined && !given.startsWith("file ")) {
    refuse(
      "base_url",
      "base_url is the URL of one running target, but the configuration also contains `lanes`, which lists the running targets.",
      "Change the URLs under `lanes`, or use a configuration without `lanes`.",
    );
  }
  if (typeof parallel === "number" && parallel > running.length) {
    refuse(
      "parallel",
      `\`parallel\` is ${parallel}, but \`lanes\` lists only ${running.length} running targets. Each lane needs its own target.`,
      `List more targets under \`lanes\`, or set \`parallel\` to ${running.length}.`,
    );
  }
  if (values.dbUrl !== undefined || values.systems !== undefined) {
    refuse(
      values.dbUrl === undefined ? "systems" : "db_url",
      `${values.dbUrl === undefined ? "`systems`" : "db_url"} cannot be used together with \`lanes\`, because each lane has its own stores.`,
      "Move the stores to lanes[].db_url or lanes[].systems.",
    );
  }
  running.forEach((lane, index) => {
    const first = running.findIndex(({ baseUrl }) => baseUrl === lane.baseUrl);
    if (first !== index)
      refuse("lanes", `lanes[${first}] and lanes[${index}] have the same base_url ${lane.baseUrl}.`, "Give each lane its own target.");
    const sharing = lane.dbUrl === undefined ? index : running.findIndex(({ dbUrl }) => dbUrl === lane.dbUrl);
    if (sharing !== index) refuse("lanes", `lanes[${sharing}] and lanes[${index}] have the same db_url.`, "Give each lane its own store.");
    sameDatabase(`lanes[${index}].`, lane.dbUrl, lane.systems, refuse);
    checkSystems("lanes.systems", lane.systems, refuse, true);
  });
}

function services({ services: declared }: Filled, refuse: Refuse): void {
  const names = (declared ?? []).map(({ name }) => name.toLowerCase());
  (declared ?? []).forEach(({ name, ready, env }, index) => {
    if (!/^[a-z0-9][a-z0-9._-]*$/i.test(name)) {
      refuse(
        "services",
        `services[${index}].name is ${shown(name)}. This name cannot be used as a file name.`,
        "Use only letters, digits, dots, _ and -.",
      );
    }
    const first = names.indexOf(name.toLowerCase());
    if (first !== index)
      refuse("services", `services[${first}] and services[${index}] are both named ${name}.`, "Give each service its own name.");
    if (ready?.startsWith("/") === true && !/^\d{1,5}$/.test(env?.["PORT"] ?? "")) {
      refuse(
        "services",
        `services[${index}].ready is the path ${shown(ready)}, but seqqa does not know the port of the service ${name}.`,
        `Write the whole URL, such as http://127.0.0.1:4000${ready}, or set PORT in services[${index}].env.`,
      );
    }
  });
}

function noInfra(values: Filled, context: FilledContext, refuse: Refuse): void {
  if (values.target === undefined) return;
  if (values.baseUrl === undefined && values.lanes === undefined) {
    refuse(
      "target",
      "--no-infra needs the URL of a target that already runs, but no URL is set.",
      "Add --base-url <url>, or set base_url or lanes in seqqa.yaml.",
    );
  }
  const from = context.sources["db_url"];
  if (from?.startsWith("file ") === true) {
    refuse(
      "db_url",
      "--no-infra cannot use db_url here, because db_url is the template for the stores of targets that seqqa starts.",
      "Set the environment variable SEQQA_DB_URL to the URL of the store that the running target uses.",
    );
  }
  if (values.systems !== undefined) {
    refuse(
      "systems",
      "--no-infra cannot use `systems` here, because these stores are templates for the stores of targets that seqqa starts.",
      "Use a configuration without `target` that lists the stores of the running target under `systems`.",
    );
  }
}
