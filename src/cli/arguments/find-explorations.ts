import { existsSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import type { SeqqaError } from "../../model/errors.ts";
import type { Machinery } from "../run/machinery.ts";
import { usage } from "./run-options.ts";
import type { Shell } from "../process/shell.ts";
import { shellWord } from "../../model/text/shell-word.ts";

const EXPLORATION = /\.explore\.[cm]?[jt]s$/;

export const isExplorationFile = (path: string): boolean => EXPLORATION.test(path);

/** Returns the default name of an exploration, from the name of its file: `shop` for `qa/shop.explore.ts`. */
export function nameOfFile(file: string): string {
  return basename(file).replace(EXPLORATION, "");
}

/**
 * Returns the exploration files of a directory that the user named.
 * @throws SeqqaError with exit status 2 if there are none
 */
export async function findExplorations(directory: string, shell: Shell, discover: Machinery["discover"]): Promise<readonly string[]> {
  const files = await discover(resolve(shell.cwd, directory));
  if (files.length > 0) return files;
  throw usage(
    `The directory ${directory} contains no exploration.`,
    "Name a directory with a file such as shop.explore.ts that exports `agent` or `graph`. To run journeys, type: seqqa run <journey>, or seqqa run --all",
  );
}

export async function fileIsNoDirectory(named: string, shell: Shell, machinery: Machinery): Promise<SeqqaError> {
  const path = resolve(shell.cwd, named);
  if (!existsSync(path)) {
    const same = (await machinery.discover(shell.cwd).catch(() => [])).find((file) => basename(file) === basename(path));
    const near = same === undefined ? undefined : `Did you mean ${relative(shell.cwd, same)}? ${await instead(same, shell, machinery)}`;
    return usage(
      `The file ${named} does not exist. seqqa run takes a directory, not a file.`,
      near ?? "seqqa list shows the files and names of all explorations.",
    );
  }
  return usage(`${named} is a file, but seqqa run takes a directory.`, await instead(path, shell, machinery));
}

async function instead(file: string, shell: Shell, machinery: Machinery): Promise<string> {
  const described = await machinery.describeExplorations([file]).catch(() => undefined);
  const name = described?.explorations[0]?.name ?? nameOfFile(file);
  return `Try: seqqa run ${shellWord(relative(shell.cwd, dirname(file)) || ".")} --only ${shellWord(name)}`;
}
