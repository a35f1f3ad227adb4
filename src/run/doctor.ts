import { statfs } from "node:fs/promises";
import type { Config, SystemConfig } from "../config/index.ts";
import { createAdapter } from "../adapters/load-store.ts";
import { SeqqaError } from "../model/errors.ts";
import type { StoreCheck, StoreUse } from "../model/stores/store-provider.ts";
import type { LaneSpec, SystemSpec } from "../targets/lanes/lane-spec.ts";
import { checkServices, runBase, type TargetHost } from "../targets/index.ts";
import { openHost } from "./lanes/open-lanes.ts";
import { storesOf, systemsOf } from "./prepare/store-modules.ts";
import { withRunDirectory } from "./prepare/run-directory.ts";

const MIB = 1024 * 1024;
/** Minimum free disk space in bytes. With less, a run may fail halfway. */
const LEAST_FREE = 64 * MIB;

/**
 * Checks the requirements of a run without exploring: Node, the configuration, disk space, stores, services and the target. Services are not started.
 * A trial on one lane changes each store, restores it and compares it with a dump. Everything that was created is removed.
 */
export async function doctor(config: Config): Promise<readonly StoreCheck[]> {
  const checks: StoreCheck[] = [
    { ok: true, what: "node", says: `Node ${process.versions.node}` },
    { ok: true, what: "config", says: config.file === undefined ? "seqqa found no seqqa.yaml, and uses the default values" : config.file },
    await disk(),
  ];
  return withRunDirectory(async (directory) => {
    for (const [name, system] of systemsOf(config)) checks.push(...(await storeChecks(name, system, config, directory)));
    checks.push(...(await checkServices(config)));
    // Skip the trial lane if a check failed, because the lane could not start and would only report the same problem again.
    if (checks.every(({ ok }) => ok)) checks.push(...(await lane(config, directory)));
    return checks;
  });
}

async function storeChecks(name: string, system: SystemConfig, config: Config, directory: string): Promise<readonly StoreCheck[]> {
  try {
    const { check, createProvider } = await storesOf(name, system, { folder: config.folder, directory });
    const use = { ...useOf(system, config), ...(createProvider === undefined ? { inPlace: true } : {}) };
    if (check !== undefined) return (await check(system.url, use)).map((one) => ({ ...one, what: `${name}: ${one.what}` }));
    return [
      { ok: true, what: `${name}: adapter`, says: `the store adapter ${system.adapter} was loaded, and has no checks for seqqa doctor` },
    ];
  } catch (error) {
    if (system.adapter === undefined) throw error;
    return [failed(`${name}: adapter`, error)];
  }
}

/**
 * Returns how runs use a store for which seqqa can make a copy for each lane. If seqqa starts no target, the store belongs to the World or to a
 * target that already runs.
 */
function useOf({ isolation }: SystemConfig, { target, baseUrl, lanes }: Config): StoreUse {
  const isStarted = target?.command !== undefined;
  return { inPlace: target === undefined, inProcess: !isStarted && baseUrl === undefined && lanes.length === 0, isolation };
}

async function disk(): Promise<StoreCheck> {
  const base = runBase();
  const { bavail, bsize } = await statfs(base);
  const free = bavail * bsize;
  const says = `${Math.floor(free / MIB)} MiB free in ${base}`;
  return {
    ok: free >= LEAST_FREE,
    what: "disk",
    says:
      free >= LEAST_FREE
        ? says
        : `${says}, but a run needs at least ${LEAST_FREE / MIB} MiB. Delete files in this folder, or set TMPDIR to another folder`,
  };
}

const NOTHING_VISIBLE: StoreCheck = {
  ok: false,
  what: "state",
  says:
    "no store is declared, so seqqa cannot see what a call changes. Each write therefore counts as a new state, and max_depth is 4 by default. " +
    "Declare the store (`db_url` or `systems`), give the World a `probe` that reads the state, or list the context keys that make up the state in `stateFromContext`",
};

async function lane(config: Config, directory: string): Promise<readonly StoreCheck[]> {
  const checks: StoreCheck[] = [];
  let host: TargetHost | undefined;
  try {
    host = await openHost(config, { directory, lanes: 1 });
    const begun = performance.now();
    const spec = await host.provision(0);
    if (spec.baseUrl !== "") {
      const took = config.target === undefined ? "" : ` after ${Math.round(performance.now() - begun)} ms`;
      checks.push({ ok: true, what: "target", says: `the target answers at ${spec.baseUrl}${took}` });
    }
    if (spec.baseUrl !== "" && spec.systems.length === 0) checks.push(NOTHING_VISIBLE);
    const refused = host.canMakeLanes(2);
    checks.push({
      ok: true,
      what: "isolation",
      says:
        refused === undefined
          ? "several lanes are possible, each with its own target and stores"
          : `only one lane is possible: ${refused.message}`,
    });
    if (spec.borrowed)
      checks.push({
        ok: true,
        what: "trial",
        says: "seqqa did not test whether it can restore the stores, because they belong to a target that already runs",
      });
    else for (const system of spec.systems) checks.push(await trial(system, spec, { folder: config.folder, directory }));
  } catch (error) {
    checks.push(failed("lane", error));
  } finally {
    await host?.close().catch((error: unknown) => checks.push(failed("clean-up", error)));
  }
  return checks;
}

async function trial(
  spec: SystemSpec,
  { index }: LaneSpec,
  places: { readonly folder: string; readonly directory: string },
): Promise<StoreCheck> {
  const what = `${spec.name}: trial`;
  const { disturb } = await storesOf(spec.name, { ...spec, adapter: spec.adapter, options: spec.options }, places);
  if (spec.isUsedWhereItIs === true || disturb === undefined)
    return {
      ok: true,
      what,
      says: `seqqa did not test whether it can restore the store, because the store adapter ${spec.adapter} cannot make a copy of the store for the test`,
    };
  const system = await createAdapter(spec);
  try {
    await system.open({ name: spec.name, laneIndex: index, inProcess: false, borrowed: false });
    await system.root();
    const before = await system.dump();
    const mark = await system.mark();
    const done = await disturb(spec.url);
    const { mode, why } = system.checkpoint;
    const chosen = `checkpoint ${mode} (${why})`;
    if (done === undefined)
      return {
        ok: true,
        what,
        says: `${chosen}; seqqa did not test whether it can restore the store, because the store has no row that seqqa could change`,
      };
    const changed = (await system.dump()) !== before;
    await system.restore(mark);
    if ((await system.dump()) === before) {
      return changed
        ? { ok: true, what, says: `${chosen}; ${done}, and seqqa restored the store exactly` }
        : { ok: false, what, says: `${chosen}; ${done}, but seqqa did not see this change in the store` };
    }
    return {
      ok: false,
      what,
      says: `${chosen}; ${done}, but seqqa did not restore the store exactly. Set systems.${spec.name}.checkpoint to another value`,
    };
  } catch (error) {
    return failed(what, error);
  } finally {
    await Promise.resolve(system.close()).catch(() => undefined);
  }
}

function failed(what: string, error: unknown): StoreCheck {
  const hint = error instanceof SeqqaError && error.hint !== undefined ? ` ${error.hint}` : "";
  return { ok: false, what, says: `${error instanceof Error ? error.message : String(error)}${hint}` };
}
