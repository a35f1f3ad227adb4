import { SeqqaError } from "../../model/errors.ts";
import { uses } from "./placeholders.ts";
import { storeWithoutCopies } from "../stores/store-modules.ts";
import type { TargetConfig } from "../target-config.ts";

/** Returns an error that says why this number of lanes is impossible. Returns `undefined` if the number is possible. */
export function refuseLanes(config: TargetConfig, count: number): SeqqaError | undefined {
  const shared = count > 1 ? storeWithoutCopies(config) : undefined;
  if (shared !== undefined) {
    return refuse(
      `Each of the ${count} lanes needs its own store, but the store module of systems.${shared} cannot copy the store.`,
      `Use --parallel 1, or export stores.createProvider from the module that systems.${shared}.adapter names.`,
    );
  }
  if (config.target?.module !== undefined) return undefined;
  if (config.target?.command !== undefined) {
    const fixed = fixedPort(config);
    if (count <= 1 || fixed === undefined) return undefined;
    return refuse(
      `Each of the ${count} lanes needs its own port, but the target listens on the fixed port ${fixed}.`,
      "Write {port} instead of the number in target.command or target.env. seqqa fills in a free port for each lane.",
    );
  }
  if (config.lanes !== undefined && config.lanes.length > 0) {
    if (count <= config.lanes.length) return undefined;
    return refuse(
      `Each of the ${count} lanes needs its own target, but \`lanes\` in seqqa.yaml lists only ${config.lanes.length}.`,
      `List more targets under lanes, or use --parallel ${config.lanes.length}.`,
    );
  }
  if (config.baseUrl === undefined || count <= 1) return undefined;
  return refuse(
    `Each of the ${count} lanes needs its own target, but base_url names only one target, which already runs.`,
    "Use target.command: seqqa then starts one target for each lane. Or list running targets under `lanes`, or use --parallel 1.",
  );
}

/**
 * Returns the fixed port of a target. The port is fixed if the configuration does not use `{port}`. The fixed port is the port of an absolute `ready`
 * URL, or else of `base_url`.
 * @returns `undefined` if seqqa chooses the port
 */
export function fixedPort(config: TargetConfig): number | undefined {
  const { command = "", env = {}, ready } = config.target ?? {};
  if ([command, ready ?? "", ...Object.values(env)].some((text) => uses(text, "port"))) return undefined;
  const named = ready !== undefined && /^https?:/i.test(ready) ? ready : config.baseUrl;
  if (named === undefined) return undefined;
  const url = new URL(named);
  return Number(url.port) || (url.protocol === "https:" ? 443 : 80);
}

function refuse(message: string, hint: string): SeqqaError {
  return new SeqqaError("LANES_IMPOSSIBLE", message, { exitStatus: 2, hint });
}
