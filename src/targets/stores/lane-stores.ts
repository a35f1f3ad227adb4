import { accessSync, constants, copyFileSync, chmodSync, existsSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { SeqqaError } from "../../model/errors.ts";
import { sqlitePathOf } from "../../model/stores/sqlite-path.ts";
import { STORE_KIND_NAMES, STORE_KINDS, storeKindOf, type StoreKindName } from "../../adapters/store-kinds.ts";
import type { SystemSpec } from "../lanes/lane-spec.ts";
import type { StoreConfig } from "../target-config.ts";
import { isUsedWhereItIs } from "./store-modules.ts";
import { withoutSecrets } from "../../model/text/url-secrets.ts";

export type CloneStore = (source: string | undefined, target: string) => void | Promise<void>;

export interface LaneStores {
  readonly systems: readonly SystemSpec[];
  readonly dbUrl: string | undefined;
  readonly dbPath: string | undefined;
  /** Variables to add to the target's environment. Default: none. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/** Returns the configured stores. `db_url` is short for `systems.db.url`; other settings of `systems.db` stay valid. */
export function declaredStores(
  systems: Readonly<Record<string, StoreConfig>> | undefined,
  dbUrl: string | undefined,
): Readonly<Record<string, StoreConfig>> {
  return dbUrl === undefined ? { ...systems } : { ...systems, db: { ...systems?.["db"], url: dbUrl } };
}

/** Returns the user's own stores, which a running target uses. The SQLite files of the stores must exist and be writable. */
export function externalStores(stores: Readonly<Record<string, StoreConfig>>, folder: string): LaneStores {
  return describeStores(
    Object.entries(stores).map(([name, store]) => {
      const file = store.adapter === undefined ? sqliteFile(store.url, folder) : undefined;
      if (file === undefined) return [name, store];
      if (!existsSync(file))
        throw missing(name, file, "Correct the path in the store's URL, so that the URL names the file that the running target uses.");
      requireWritable(name, file);
      return [name, { ...store, url: `sqlite:${file}` }];
    }),
  );
}

/**
 * Copies the configured SQLite files into the lane's directory. With `empty`, also creates an empty store `db` if the configuration has no store
 * `db`.
 */
export async function copySqliteStores(
  stores: Readonly<Record<string, StoreConfig>>,
  folder: string,
  directory: string,
  empty: boolean,
  clone: CloneStore,
): Promise<[string, StoreConfig][]> {
  const made: [string, StoreConfig][] = [];
  for (const [name, store] of Object.entries(stores)) {
    if (store.adapter !== undefined || kindOf(store.url) !== "sqlite") continue;
    const source = requireTemplate(name, store, folder);
    const file = join(directory, `${encodeURIComponent(name)}.sqlite`);
    await make(name, source, file, clone);
    made.push([name, { ...store, url: `sqlite:${file}` }]);
  }
  if (empty && stores["db"] === undefined) {
    const file = join(directory, "db.sqlite");
    await make("db", undefined, file, clone);
    made.push(["db", { url: `sqlite:${file}` }]);
  }
  return made;
}

/**
 * Returns the path of a configured SQLite file, from which copies for lanes are made. @throws SeqqaError `STORE_MISSING` if the file does not exist
 */
export function requireTemplate(name: string, store: StoreConfig, folder: string): string {
  const file = sqliteFile(store.url, folder)!;
  if (!existsSync(file))
    throw missing(
      name,
      file,
      "Create the file: seqqa copies it for every lane. To start with an empty file, remove the store from seqqa.yaml, and write {db_path} in target.command.",
    );
  if (!statSync(file).isFile()) {
    throw new SeqqaError("STORE_MISSING", `The URL of store "${name}" names ${file}, which is a folder or a special file.`, {
      exitStatus: 2,
      hint: "Name a SQLite file in the store's URL.",
    });
  }
  return file;
}

/**
 * Copies a SQLite file that no process has open. Without `source`, creates an empty file. Only the function `cloneStore` of the host's options can
 * copy a file that is in use.
 */
export function copyStore(source: string | undefined, target: string): void {
  if (source === undefined) return writeFileSync(target, "", { mode: 0o600 });
  for (const suffix of ["-wal", "-journal"]) {
    if (!existsSync(source + suffix) || statSync(source + suffix).size === 0) continue;
    throw new Error(`a process has the file open (${source}${suffix} exists)`);
  }
  copyFileSync(source, target);
  chmodSync(target, 0o600);
}

/** Returns the absolute file path of a `sqlite:` URL; `undefined` for other URLs. */
export function sqliteFile(url: string, folder: string): string | undefined {
  if (storeKindOf(url) !== "sqlite") return undefined;
  const path = sqlitePathOf(url)!;
  return isAbsolute(path) ? path : resolve(folder, path);
}

/** Returns a text that identifies a store. Different URLs of the same store, for example two paths of one SQLite file, have the same text. */
export function storeIdentity(url: string): string {
  const file = sqlitePathOf(url);
  if (file === undefined) return url;
  try {
    return `sqlite:${realpathSync(file)}`;
  } catch {
    return url;
  }
}

/** Returns the URLs and kinds of stores, in the form that lanes receive. */
export function describeStores(stores: readonly (readonly [string, StoreConfig])[]): LaneStores {
  const systems = stores.map(([name, store]) => ({
    name,
    kind: store.adapter === undefined ? (store.kind ?? kindOf(store.url)) : undefined,
    adapter: store.adapter,
    module: store.loaded?.url,
    ...(isUsedWhereItIs(store) && { isUsedWhereItIs: true }),
    url: store.url,
    targetUrl: store.targetUrl,
    options: store.options,
    checkpoint: store.checkpoint,
    isolation: store.isolation,
    tables: store.tables,
    ignore: store.ignore,
    symmetric: store.symmetric,
  }));
  const dbUrl = systems.find(({ name }) => name === "db")?.url;
  return { systems, dbUrl, dbPath: dbUrl === undefined ? undefined : sqlitePathOf(dbUrl) };
}

/** Returns the kind of store for a URL. @throws SeqqaError `STORE_UNSUPPORTED` */
export function kindOf(url: string): StoreKindName {
  const kind = storeKindOf(url);
  if (kind !== undefined) return kind;
  throw new SeqqaError("STORE_UNSUPPORTED", `seqqa supports no store with the URL ${withoutSecrets(url)}.`, {
    exitStatus: 2,
    hint: `Use a URL with one of these schemes: ${STORE_KIND_NAMES.map((one) => `${STORE_KINDS[one].schemes[0]}:`).join(", ")}.`,
  });
}

async function make(name: string, source: string | undefined, file: string, clone: CloneStore): Promise<void> {
  try {
    await clone(source, file);
  } catch (error) {
    if (error instanceof SeqqaError) throw error;
    const what = source === undefined ? "an empty store" : `a copy of ${source}`;
    throw new SeqqaError(
      "STORE_NOT_COPIED",
      `seqqa cannot create ${what} for the store "${name}": ${error instanceof Error ? error.message : String(error)}.`,
      {
        hint: "Check that the file of the store is readable, and that no process writes to this file. Check also the free space of the directory for temporary files (TMPDIR).",
        cause: error,
      },
    );
  }
}

function missing(name: string, file: string, hint: string): SeqqaError {
  return new SeqqaError("STORE_MISSING", `The URL of store "${name}" names the SQLite file ${file}, which does not exist.`, {
    exitStatus: 2,
    hint,
  });
}

/** Checks that a SQLite file is writable. Also checks the folder of the file, because SQLite creates its journal in this folder. */
function requireWritable(name: string, file: string): void {
  for (const path of [file, dirname(file)]) {
    try {
      accessSync(path, constants.W_OK);
    } catch (cause) {
      throw new SeqqaError(
        "STORE_NOT_WRITABLE",
        `seqqa cannot restore the store "${name}", because your user is not allowed to write to ${path}.`,
        {
          hint: "Give your user write access to this path, or run seqqa as another user.",
          cause,
        },
      );
    }
  }
}
