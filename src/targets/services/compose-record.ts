import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { basesToSweep, readRecord, rootIn, type Owner } from "../run-directory.ts";
import { COMPOSE_RECORD, isDead } from "../sweep.ts";
import { COMPOSE_LIMITS, composeDown, type ComposeLimits } from "./docker-compose.ts";

/**
 * Records in the run's directory that docker containers of the run may exist. If the run dies, its directory remains until the containers are
 * removed.
 */
export function recordCompose(directory: string): void {
  writeFileSync(join(directory, COMPOSE_RECORD), "{}", { mode: 0o600 });
}

export function forgetCompose(directory: string): void {
  rmSync(join(directory, COMPOSE_RECORD), { force: true });
}

/**
 * Removes the containers that dead runs started with docker compose. Ignores failures, because later runs try again.
 *
 * @returns the number of dead runs whose containers were removed
 */
export async function sweepCompose(base: string | undefined, limits: ComposeLimits = COMPOSE_LIMITS): Promise<number> {
  let swept = 0;
  for (const root of basesToSweep(base).map(rootIn)) {
    for (const name of existsSync(root) ? readdirSync(root) : []) {
      const path = join(root, name);
      const owner = readRecord<Owner>(join(path, "owner.json"));
      if (!name.startsWith("run-") || !existsSync(join(path, COMPOSE_RECORD)) || owner === undefined || !isDead(owner)) continue;
      const runId = name.slice("run-".length);
      const ignore = (): void => undefined;
      try {
        await composeDown({ folder: root, runId, limits, started: ignore, stopped: ignore, onOutput: ignore });
        forgetCompose(path);
        swept += 1;
      } catch {
        // Ignore the failure: another run may be removing the same containers. Otherwise, the next run tries again.
      }
    }
  }
  return swept;
}
