import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atEnd, emptyFolder, linkPackages, root, start, type Ran, type Running } from "./e2e.ts";
import { redis } from "./services/kinds.ts";
import { find, type Found } from "./services/service.ts";

/** Of the distributed runs of tests. */
export const SECRET = "of-the-distributed-runs-of-tests-0123456789";

/** A Redis of one test's own: workers take the newest run that there is. */
export async function ownRedis(): Promise<Extract<Found, { kind: "found" }>> {
  const found = await find(redis, { running: false });
  if (found.kind === "missing") throw new Error(found.problem);
  atEnd(() => found.stop());
  return found;
}

/** A folder with a copy of some fixtures, as another machine would have it. */
export function checkout(...fixtures: readonly string[]): string {
  const folder = emptyFolder();
  for (const name of ["support", ...fixtures]) cpSync(join(root, "fixtures", name), join(folder, "fixtures", name), { recursive: true });
  linkPackages(folder, "seqqa", "better-sqlite3");
  return folder;
}

/** Changes a file of a checkout. */
export function edit(folder: string, file: string, change: (text: string) => string): void {
  const path = join(folder, file);
  const before = readFileSync(path, "utf8");
  const after = change(before);
  if (after === before) throw new Error(`${file} is as it was`);
  writeFileSync(path, after);
}

export interface ClusterOptions {
  readonly url: string;
  /** What is run, in the checkouts. */
  readonly directory: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly secret?: string;
}

const LONG = 300_000;

export function coordinator({ url, directory, env, args = [], cwd = root, secret = SECRET }: ClusterOptions): Running {
  return start(["run", directory, "--distributed", url, ...args], { cwd, env: { SEQQA_SECRET: secret, ...env }, timeoutMs: LONG });
}

export function worker({ url, directory, env, args = [], cwd = root, secret = SECRET }: ClusterOptions): Running {
  return start(["worker", directory, "--redis", url, ...args], { cwd, env: { SEQQA_SECRET: secret, ...env }, timeoutMs: LONG });
}

/** How they ended, the output of one that did not end as it should with it. */
export const endings = async (all: readonly Running[]): Promise<readonly (number | string | null)[]> =>
  (await Promise.all(all.map(({ ended }) => ended))).map(({ status, signal }: Ran) => signal ?? status);
