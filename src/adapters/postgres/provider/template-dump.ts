import { execFile, spawn, type ChildProcess } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { dumpFailed, dumpToolMissing } from "./provider-failures.ts";
import { decoded, type StoreUrl } from "../connect/store-url.ts";

const INSTALLED = "/usr/lib/postgresql";
const SHOWN_OUTPUT = 4000;

export interface DumpTools {
  readonly dump: string;
  readonly restore: string;
}

/**
 * Finds `pg_dump` and `pg_restore` for a server of this major version. Prefers the same version and otherwise takes a newer version, because older
 * versions of the tools cannot read the server. `why`: the reason why the tools are needed, for the error message.
 *
 * @throws SeqqaError that says what to install
 */
export async function findDumpTools(store: StoreUrl, version: number, why: string): Promise<DumpTools> {
  const folders = existsSync(INSTALLED) ? readdirSync(INSTALLED).map(Number) : [];
  for (const folder of folders.filter((one) => one >= version).sort((a, b) => a - b)) {
    const bin = join(INSTALLED, String(folder), "bin");
    const tools = { dump: join(bin, "pg_dump"), restore: join(bin, "pg_restore") };
    if (existsSync(tools.dump) && existsSync(tools.restore)) return tools;
  }
  for (const tool of ["pg_dump", "pg_restore"]) {
    if ((await majorOf(tool)) < version) throw dumpToolMissing(store, tool, version, why);
  }
  return { dump: "pg_dump", restore: "pg_restore" };
}

async function majorOf(tool: string): Promise<number> {
  try {
    const { stdout } = await promisify(execFile)(tool, ["--version"]);
    return Number(/\b(\d+)(?:\.\d+|devel|beta\d|rc\d)/.exec(stdout)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/**
 * Copies a database into an empty database, even while other sessions use the source. Uses pg_restore, because psql would execute commands that are
 * hidden in names of objects. Credentials are passed in environment variables, which other users cannot read.
 */
export async function copyByDump(from: StoreUrl, to: StoreUrl, tools: DumpTools, superuser: boolean): Promise<void> {
  // A role that is not a superuser cannot set owners and privileges. Only the owner of an extension can comment on the extension.
  const plain = superuser ? [] : ["--no-owner", "--no-privileges", "--no-comments"];
  const dump = spawn(tools.dump, ["--format=custom", "--compress=0", "--no-password", "--lock-wait-timeout=30s", ...plain], {
    env: environmentOf(from),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const target = `dbname='${to.database.replaceAll(/['\\]/g, "\\$&")}'`;
  const restore = spawn(tools.restore, ["--single-transaction", "--no-password", ...plain, "--dbname", target], {
    env: environmentOf(to),
    stdio: ["pipe", "ignore", "pipe"],
  });
  const ends = [ended(dump), ended(restore)] as const;
  // Ignore a broken pipe, which only follows from a failure of pg_dump or pg_restore. The output of the failed tool explains the failure.
  await pipeline(dump.stdout, restore.stdin).catch(() => dump.kill());
  const [dumped, restored] = await Promise.all(ends);
  if (dumped !== undefined && !(restored !== undefined && dumped === "")) throw dumpFailed(from, "pg_dump", dumped);
  if (restored !== undefined) throw dumpFailed(from, "pg_restore", restored);
}

function ended(child: ChildProcess): Promise<string | undefined> {
  let output = "";
  child.stderr?.on("data", (chunk: Buffer) => (output = (output + chunk.toString()).slice(0, SHOWN_OUTPUT)));
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (status) => resolve(status === 0 ? undefined : output));
  });
}

/** Returns the environment variables with which libpq connects to a URL. Parses the URL in the same way as the driver. */
function environmentOf({ href, database }: StoreUrl): NodeJS.ProcessEnv {
  const url = new URL(href);
  const part = (text: string): string | undefined => (text === "" ? undefined : decoded(text));
  const query = (name: string): string | undefined => url.searchParams.get(name) ?? undefined;
  const given: NodeJS.ProcessEnv = {
    PGHOST: query("host") ?? part(url.hostname)?.replace(/^\[|\]$/g, "") ?? process.env["PGHOST"] ?? "localhost",
    PGPORT: query("port") ?? part(url.port),
    PGUSER: query("user") ?? part(url.username),
    PGPASSWORD: query("password") ?? part(url.password),
    PGDATABASE: database,
    PGSSLMODE: query("sslmode") === "no-verify" ? "require" : query("sslmode"),
    PGSSLROOTCERT: query("sslrootcert"),
    PGSSLCERT: query("sslcert"),
    PGSSLKEY: query("sslkey"),
    PGAPPNAME: "seqqa",
    PGCONNECT_TIMEOUT: "15",
  };
  const all = { ...process.env, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
  delete all["PGSERVICE"];
  return all;
}
