import { STORE_KIND_NAMES, STORE_KINDS, storeKindOf } from "../../adapters/store-kinds.ts";
import { refuseClocks } from "./clocks.ts";
import type { Filled, FilledContext, FilledSystem } from "./filled.ts";
import { nearest } from "../../model/text/nearest.ts";
import { refuseStubs } from "./stubs.ts";
import { problem, shown } from "../problem.ts";
import { storePart, storePlaceholder } from "../store-parts.ts";

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
  lanes(values, refuse);
  for (const [index, { systems }] of (values.lanes ?? []).entries()) refuseStubs(`lanes[${index}].systems`, systems, refuse);
  services(values, refuse);
  coverage(values, context, refuse);
  if (context.noInfra) noInfra(values, context, refuse);
}

type Refuse = (key: string, what: string, hint?: string) => never;

function stores(values: Filled, refuse: Refuse): void {
  const { dbUrl, dbBackend, systems } = values;
  if (dbUrl !== undefined && dbBackend !== undefined && storeKindOf(dbUrl) !== dbBackend) {
    refuse(
      "db_backend",
      `db_backend is ${dbBackend}, but db_url leads to ${storeKindOf(dbUrl)}.`,
      "Take db_backend out: it follows from db_url.",
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
  refuse("db_url", `${of}db_url and ${of}systems.db.url name different stores.`, "Keep one of them: db_url is short for systems.db.url.");
}

/** @param isExternal `true` if the stores belong to a target that already runs. */
function checkSystems(
  section: string,
  systems: Readonly<Record<string, FilledSystem>> | undefined,
  refuse: Refuse,
  isExternal: boolean,
): void {
  for (const [name, { url, adapter, options, checkpoint, isolation }] of Object.entries(systems ?? {})) {
    if ((url as string | undefined) === undefined) {
      refuse(`${section}.${name}.url`, `${section}.${name}.url is missing.`, "Write the store's URL, e.g. sqlite:./shop.db.");
    }
    if (adapter !== undefined) continue;
    if (options !== undefined) {
      refuse(
        `${section}.${name}.options`,
        `${section}.${name}.options is for an adapter of your own, but adapter is not set.`,
        "Take it out, or name the package or the module in adapter.",
      );
    }
    const kind = storeKindOf(url)!;
    if (isExternal && STORE_KINDS[kind].isOnlyCopied === true) {
      refuse(
        section === "systems" ? `${section}.${name}.url` : "lanes",
        `The messages of ${section}.${name} cannot be restored: it is the ${kind} server of a target that already runs.`,
        "Let seqqa start the target (target.command): each lane then has queues of its own.",
      );
    }
    const checkpoints = ["auto", ...STORE_KINDS[kind].checkpoints];
    if (checkpoint !== undefined && !checkpoints.includes(checkpoint)) {
      refuse(
        `${section}.${name}.checkpoint`,
        `${section}.${name}.checkpoint is ${checkpoint}, but ${kind} stores do not have this checkpoint.`,
        `Use one of: ${checkpoints.join(", ")}.`,
      );
    }
    if (isolation !== undefined && STORE_KINDS[kind].isolations === undefined) {
      const choosing = STORE_KIND_NAMES.filter((one) => STORE_KINDS[one].isolations !== undefined).join(" and ");
      refuse(
        `${section}.${name}.isolation`,
        `${section}.${name}.isolation can only be used with ${choosing} stores, but the store is ${kind}.`,
        "Take it out.",
      );
    }
  }
}

/** Rejects `coverage.code` for a target whose process seqqa does not start. */
function coverage({ coverage: declared, target: started }: Filled, { noInfra }: FilledContext, refuse: Refuse): void {
  if (declared?.code !== true || (started?.command !== undefined && !noInfra)) return;
  const why =
    started?.module !== undefined
      ? "target.module runs in seqqa's own process, where it is not measured"
      : `${noInfra ? "with --no-infra" : "without target.command"} seqqa does not start the target, and cannot measure it`;
  refuse("coverage.code", `coverage.code is true, but ${why}.`, "Start the target with target.command, or take coverage.code out.");
}

function target(values: Filled, context: FilledContext, refuse: Refuse): void {
  const { target: declared, lanes: running } = values;
  if (declared === undefined) return;
  if (declared.command === undefined && declared.module === undefined) {
    const set = Object.keys(context.sources).find((key) => key.startsWith("target.")) ?? "target";
    refuse(
      context.sources["target"] === undefined ? set : "target",
      "target has neither a command to start nor a module to import.",
      "Give target.command or target.module.",
    );
  }
  if (declared.command !== undefined && declared.module !== undefined) {
    refuse("target.module", "target.command and target.module exclude each other.", "Keep the one that starts the API.");
  }
  if (declared.rollback === "restart" && (declared.command === undefined || context.noInfra)) {
    refuse(
      "target.rollback",
      `target.rollback is restart, but ${context.noInfra ? "with --no-infra" : "with target.module"} seqqa starts no process that it could restart.`,
      "Start the target with target.command, or set target.rollback to stores.",
    );
  }
  if (running !== undefined && !context.noInfra) {
    refuse(
      "lanes",
      "lanes lists targets that already run, but target says how to start them.",
      "Remove lanes or target, or add --no-infra to use the running targets.",
    );
  }
  const given = context.sources["base_url"];
  if (given !== undefined && !given.startsWith("file ") && !context.noInfra) {
    refuse(
      "base_url",
      "it names a target that already runs, but the configuration starts its own.",
      "Add --no-infra to use the running one.",
    );
  }
  const warmUp = (declared.warmUp ?? []).flatMap((step) => (typeof step === "string" ? [] : [step]));
  for (const [index, { method, path, headers, json, command }] of warmUp.entries()) {
    const isRequest = [method, path, headers, json].some((part) => part !== undefined);
    if ((command === undefined) === (path === undefined) || (command !== undefined && isRequest)) {
      refuse(
        "target.warm_up",
        `target.warm_up[${index}] must be either a request with a path or a command.`,
        "Write { method: POST, path: /setup } or { command: npm run migrate }.",
      );
    }
  }
  if (declared.warmUp !== undefined && declared.command === undefined) {
    refuse(
      "target.warm_up",
      "target.warm_up is for a target that target.command starts.",
      "With target.module, do the warm-up in createTarget(lane).",
    );
  }
  const headers = warmUp.flatMap((step) => Object.values(step.headers ?? {}));
  const commands = warmUp.flatMap(({ command }) => (command === undefined ? [] : [command]));
  checkNames("target.command", declared.command ?? "", values, refuse);
  for (const text of [...commands, ...headers]) checkNames("target.warm_up", text, values, refuse);
  for (const [name, text] of Object.entries(declared.env ?? {})) checkNames(`target.env.${name}`, text, values, refuse);
}

/**
 * Throws an error if a placeholder of the target, for example `{host:cache}`, names an unknown store or a part that the store's URL lacks.
 * @param key The key whose value `text` is. Messages name its place in the file.
 */
function checkNames(key: string, text: string, values: Filled, refuse: Refuse): void {
  const systems = Object.entries(values.systems ?? {}).map(([name, { url }]) => [name, url] as const);
  const urls = new Map([...systems, ...(values.dbUrl === undefined ? [] : [["db", values.dbUrl] as const])]);
  for (const [whole, inside = ""] of text.matchAll(/\{([^{}]*)\}/g)) {
    const asked = storePlaceholder(inside);
    if (asked === undefined) continue;
    const { store, part } = asked;
    const isNamed = inside.includes(":");
    const url = urls.get(store);
    if (url === undefined) {
      // `{db_url}` is allowed without a declared database, because the target then gets a new SQLite file.
      if (store === "db" && (part === "url" || part === "database")) continue;
      const near = isNamed ? nearest(store, [...urls.keys()]) : undefined;
      refuse(
        key,
        `${whole} names a store that ${isNamed ? "systems" : "db_url"} does not declare.`,
        near !== undefined ? `Did you mean {${part}:${near}}?` : isNamed ? "Declare it under systems." : "Declare it as db_url.",
      );
    } else if (part !== "url" && storePart(url, part) === undefined) {
      refuse(
        key,
        `${whole} needs the ${part} in the URL of the store, but the URL has none.`,
        part === "password" || part === "user"
          ? `Add the ${part} to the URL, or remove the placeholder.`
          : "Remove the placeholder, or use {url:...}.",
      );
    }
  }
}

function lanes(values: Filled, refuse: Refuse): void {
  const { lanes: running, parallel } = values;
  if (running === undefined) {
    if (values.target === undefined && values.baseUrl !== undefined && typeof parallel === "number" && parallel > 1) {
      refuse(
        "parallel",
        `${parallel} lanes need a target each, and base_url names one that already runs.`,
        "Use target.command, which starts one target for each lane, or list running targets under lanes.",
      );
    }
    return;
  }
  if (running.length === 0) refuse("lanes", "lanes is an empty list.", "List at least one running target, or take it out.");
  if (typeof parallel === "number" && parallel > running.length) {
    refuse(
      "parallel",
      `${parallel} lanes need a target each, and lanes lists ${running.length}.`,
      `List more targets under lanes, or set parallel to ${running.length}.`,
    );
  }
  if (values.dbUrl !== undefined || values.systems !== undefined) {
    refuse(
      values.dbUrl === undefined ? "systems" : "db_url",
      "it cannot be used together with lanes: every lane names its own stores.",
      "Move it to lanes[].db_url or lanes[].systems.",
    );
  }
  running.forEach((lane, index) => {
    const first = running.findIndex(({ baseUrl }) => baseUrl === lane.baseUrl);
    if (first !== index)
      refuse(
        "lanes",
        `lanes[${first}] and lanes[${index}] have the same base_url ${lane.baseUrl}.`,
        "Every lane needs a target of its own.",
      );
    const sharing = lane.dbUrl === undefined ? index : running.findIndex(({ dbUrl }) => dbUrl === lane.dbUrl);
    if (sharing !== index)
      refuse("lanes", `lanes[${sharing}] and lanes[${index}] have the same db_url.`, "Every lane needs a store of its own.");
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
        `services[${index}].name is ${shown(name)}, which cannot be part of a file name.`,
        "Use letters, digits, . _ and -.",
      );
    }
    const first = names.indexOf(name.toLowerCase());
    if (first !== index) refuse("services", `services[${first}] and services[${index}] are both named ${name}.`, "Give each its own name.");
    if (ready?.startsWith("/") === true && !/^\d{1,5}$/.test(env?.["PORT"] ?? "")) {
      refuse(
        "services",
        `services[${index}].ready is the path ${shown(ready)}, but the port of ${name} is unknown.`,
        `Write the whole URL, such as http://127.0.0.1:4000${ready}, or give the service its PORT under env.`,
      );
    }
  });
}

function noInfra(values: Filled, context: FilledContext, refuse: Refuse): void {
  if (values.target?.command === undefined) return;
  if (values.baseUrl === undefined && values.lanes === undefined) {
    refuse(
      "target",
      "--no-infra needs a target that already runs, and no URL is given.",
      "Give --base-url, or base_url or lanes in the file.",
    );
  }
  const from = context.sources["db_url"];
  if (from?.startsWith("file ") === true) {
    refuse(
      "db_url",
      "--no-infra cannot use this db_url: it is the template for lanes that seqqa starts.",
      "Set SEQQA_DB_URL to the URL of the running target's store.",
    );
  }
  if (values.systems !== undefined) {
    refuse(
      "systems",
      "--no-infra cannot use these stores: they are templates for lanes that seqqa starts.",
      "Use a configuration without target that lists the stores of the running target under systems.",
    );
  }
}
