import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoreKind } from "../../src/model/stores/store-provider.ts";
import { freePort } from "./services/service.ts";

/** A lane's copy of a store, as a run makes it. */
export interface StoreLane {
  readonly url: string;
  close(): Promise<void>;
}

/** Copies a template for one lane, as a separate run would do. */
export async function storeLane(stores: StoreKind, template: string): Promise<StoreLane> {
  const directory = mkdtempSync(join(tmpdir(), "seqqa-queue-lane-"));
  const runId = randomBytes(4).toString("hex");
  const provider = stores.createProvider({ name: "jobs", url: template, runId, directory, claimPort: freePort });
  const close = async (): Promise<void> => {
    await provider.close();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await provider.prepare();
    return { url: await provider.provide(0, 0), close };
  } catch (error) {
    await close();
    throw error;
  }
}
