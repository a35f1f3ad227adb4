import type { AgentDefinition } from "../../model/declare/agent.ts";
import { clientPartOf, TELLS_SENDER } from "../../model/http/client.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { Lane } from "../../model/declare/lane.ts";
import type { StoreAdapter } from "../../model/stores/store-adapter.ts";
import { guestRole } from "../../model/declare/rule.ts";
import { World } from "../../model/declare/world.ts";
import { userError } from "./root-state.ts";
import type { LaneParts } from "./lane-base.ts";

/**
 * Calls the function `world` of the exploration, and completes the world with clients for all users and guests. @throws SeqqaError `WORLD_INVALID` if
 * the function does not return a World
 */
export async function buildWorld(definition: AgentDefinition<never, never>, parts: LaneParts): Promise<World<never, never>> {
  const { lane, createClient } = parts;
  let world: unknown;
  try {
    world = typeof definition.world === "function" ? await definition.world(lane) : (definition.world ?? new World());
  } catch (cause) {
    throw userError("WORLD_THREW", "The function `world` of the exploration threw an error", cause);
  }
  if (!(world instanceof World)) {
    throw new SeqqaError("WORLD_INVALID", "The function `world` of the exploration did not return a World.", {
      exitStatus: 2,
      hint: "Write world: (lane) => new World({ ... }).",
    });
  }
  world.complete({ api: createClient === undefined ? (undefined as never) : () => createClient() as never, systems: lane.systems });
  const create = clientsLike(world.allClients().get(""), parts);
  for (const role of Object.keys(definition.users)) world.introduce(role, () => (create?.() ?? noClient(role)) as never);
  if (create !== undefined)
    for (let index = 0; index < definition.guests; index++) world.introduce(guestRole(index), () => create() as never);
  if (parts.restart !== undefined) refuseSavedInTarget(world);
  return world as unknown as World<never, never>;
}

/**
 * Returns a function that creates clients for other users. These clients have the class, the base path and the headers of the world's client, such as
 * an `Origin` or the id of an app, but no header that identifies the sender. Returns `undefined` if no client can be created.
 */
function clientsLike(api: unknown, { lane, createClient }: LaneParts): (() => unknown) | undefined {
  const part = clientPartOf(api);
  const headers = Object.fromEntries(Object.entries(part?.headers?.() ?? {}).filter(([name]) => !TELLS_SENDER.test(name)));
  if (part?.another !== undefined) return () => part.another!(headers);
  const basePath = belowLane(api, lane);
  return createClient && (() => createClient({ ...(basePath !== undefined && { basePath }), headers }));
}

/**
 * Returns the base path of a client relative to the lane's URL. Returns `undefined` if there is no base path, or if the client does not use the
 * lane's target.
 */
function belowLane(api: unknown, { baseUrl }: Lane): string | undefined {
  const base = clientPartOf(api)?.base;
  if (base === undefined || !URL.canParse(base)) return undefined;
  const [{ pathname }, own] = [new URL(base), URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/+$/, "") : ""];
  const path = pathname.replace(/\/+$/, "");
  return path.startsWith(`${own}/`) ? path.slice(own.length) : undefined;
}

function noClient(role: string): never {
  throw new SeqqaError(
    "NO_CLIENT",
    `A rule needs a client for the role "${role}", but seqqa cannot create one, because seqqa.yaml names no target.`,
    {
      exitStatus: 2,
      hint: `Pass a client to the World: new World({ clients: { ${/^\w+$/.test(role) ? role : JSON.stringify(role)}: ... } }).`,
    },
  );
}

/**
 * Refuses stores that keep their checkpoints in the process of the target, because a restart loses these checkpoints. @throws SeqqaError
 * `RESTART_LOSES_CHECKPOINTS` (exit status 2)
 */
function refuseSavedInTarget(world: { readonly systems: Readonly<Record<string, StoreAdapter | undefined>> }): void {
  for (const [name, system] of Object.entries(world.systems)) {
    if (system?.traits.inTarget !== true) continue;
    throw new SeqqaError(
      "RESTART_LOSES_CHECKPOINTS",
      `target.rollback is restart, but the target keeps the checkpoints of store "${name}" in its process, so a restart deletes them.`,
      { exitStatus: 2, hint: "Set target.rollback: stores. The target's own checkpoints then restore its memory, too." },
    );
  }
}
