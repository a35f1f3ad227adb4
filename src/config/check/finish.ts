import { availableParallelism } from "node:os";
import { readAuthorities } from "../authorities.ts";
import { FAULT_KINDS } from "../../model/declare/search/faults.ts";
import { storeKindOf } from "../../adapters/store-kinds.ts";
import type { Config, FaultsConfig, RacesConfig, SystemConfig } from "../config.ts";
import type { Filled, FilledContext, FilledSystem } from "./filled.ts";

export function finish(values: Filled, context: FilledContext): Config {
  const started = context.noInfra ? undefined : values.target;
  const lanes = (values.lanes ?? []).map((lane) => ({ ...lane, systems: systemsOf(lane.systems, lane.dbUrl) }));
  const caFile = values.tls?.caFile;
  const config: Config = {
    ...values,
    dbBackend: values.dbBackend ?? (values.dbUrl === undefined ? undefined : storeKindOf(values.dbUrl)),
    systems: systemsOf(values.systems, values.dbUrl),
    target: started === undefined ? undefined : { ...started, env: started.env ?? {}, cwd: started.cwd ?? context.folder },
    tls: { caFile, ca: caFile === undefined ? [] : readAuthorities(caFile, context.sources["tls.ca_file"]) },
    lanes,
    services: (context.noInfra ? [] : (values.services ?? [])).map((service) => ({ ...service, env: service.env ?? {} })),
    composeFile: context.noInfra ? undefined : values.composeFile,
    exploration: { ...values.exploration, races: racesOf(values.exploration.races), faults: faultsOf(values.exploration.faults) },
    parallel: values.parallel === "auto" ? automatic(values, started !== undefined) : values.parallel,
    report: { ...values.report, redact: values.report.redact.map((name) => name.toLowerCase()) },
    folder: context.folder,
    file: context.file,
    sources: context.sources,
    allowedStores: context.allowedStores,
  };
  return deepFreeze(config);
}

function systemsOf(
  systems: Readonly<Record<string, FilledSystem>> | undefined,
  dbUrl: string | undefined,
): Readonly<Record<string, SystemConfig>> {
  const unset = {
    adapter: undefined,
    options: undefined,
    checkpoint: undefined,
    isolation: undefined,
    tables: undefined,
    ignore: undefined,
    symmetric: undefined,
  };
  const all = { ...systems, ...(dbUrl === undefined ? {} : { db: { ...unset, ...systems?.["db"], url: dbUrl } }) };
  return Object.fromEntries(
    Object.entries(all).map(([name, system]) => [
      name,
      { kind: system.adapter === undefined ? storeKindOf(system.url) : undefined, ...system },
    ]),
  );
}

function racesOf(races: Filled["exploration"]["races"]): RacesConfig {
  if (typeof races === "object") return { mode: "pairs", ...races };
  return { mode: races, trials: 20, delivery: "auto", copies: 2, maxTime: undefined };
}

function faultsOf(faults: Filled["exploration"]["faults"]): FaultsConfig {
  if (typeof faults === "object") return { mode: "on", ...faults };
  return { mode: faults, kinds: FAULT_KINDS, maxTime: undefined, bestEffort: [] };
}

/** Returns the number of lanes for `parallel: auto`: one for each CPU core, but at most one for each target that already runs. */
function automatic(values: Filled, startsItsOwn: boolean): number {
  const cores = availableParallelism();
  if (values.lanes !== undefined) return Math.min(cores, values.lanes.length);
  return !startsItsOwn && values.baseUrl !== undefined ? 1 : cores;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
