import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import { nearest } from "../config/index.ts";
import { SeqqaError } from "../model/errors.ts";
import type { Machinery } from "./machinery.ts";
import type { Shell } from "./shell.ts";

/** The exploration files of a directory that the user named. @throws SeqqaError with exit status 2 when there are none. */
export async function findExplorations(
  directory: string | undefined,
  shell: Shell,
  discover: Machinery["discover"],
): Promise<readonly string[]> {
  if (directory === undefined) throw await nothingNamed(shell, discover);
  const path = resolve(shell.cwd, directory);
  if (!existsSync(path)) throw noDirectory(directory, path);
  if (!statSync(path).isDirectory()) {
    throw usage(
      `${directory} is a file; run takes a directory.`,
      `Try: seqqa run ${relative(shell.cwd, dirname(path)) || "."} --only <name>`,
    );
  }
  const files = await discover(path);
  if (files.length === 0)
    throw usage(`There is no exploration in ${directory}.`, "An exploration is a file such as shop.explore.ts that exports `agent`.");
  return files;
}

/** `qa/shop.explore.ts` -> `shop`. */
export function nameOfFile(file: string): string {
  return basename(file).replace(/\.explore\.[cm]?[jt]s$/, "");
}

async function nothingNamed(shell: Shell, discover: Machinery["discover"]): Promise<SeqqaError> {
  const folder = ["qa", "."].find((one) => existsSync(resolve(shell.cwd, one))) ?? ".";
  const files = await discover(resolve(shell.cwd, folder)).catch(() => []);
  const hint =
    files.length === 0
      ? "There is no exploration here: write a file such as qa/shop.explore.ts that exports `agent`, or try seqqa demo."
      : `There is: seqqa run ${folder} (${files.slice(0, 10).map(nameOfFile).join(", ")}${files.length > 10 ? ` and ${files.length - 10} more` : ""})`;
  return usage("Nothing was named to run.", hint);
}

function noDirectory(directory: string, path: string): SeqqaError {
  const parent = dirname(path);
  const siblings =
    existsSync(parent) && statSync(parent).isDirectory()
      ? readdirSync(parent, { withFileTypes: true }).filter((one) => one.isDirectory())
      : [];
  const near = nearest(
    basename(path),
    siblings.map(({ name }) => name),
  );
  return usage(`There is no directory ${directory}.`, near === undefined ? undefined : `Did you mean ${near}?`);
}

function usage(message: string, hint?: string): SeqqaError {
  return new SeqqaError("USAGE", message, { exitStatus: 2, hint });
}
