import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { nearest } from "../../model/text/nearest.ts";
import { printable } from "../../reports/index.ts";
import type { Config } from "../../config/index.ts";
import type { Shell } from "../process/shell.ts";
import { shownPath } from "../process/shown-path.ts";
import type { Machinery } from "../run/machinery.ts";
import { isExplorationFile, nameOfFile } from "./find-explorations.ts";
import { usage } from "./run-options.ts";

export interface NamedExploration {
  /** The absolute path of the exploration file. */
  readonly file: string;
  readonly name: string;
}

export function isFileOfExploration(named: string, cwd: string): boolean {
  const path = resolve(cwd, named);
  return isExplorationFile(named) && existsSync(path) && statSync(path).isFile();
}

/** The maximum number of explorations that a hint names. */
const NAMED = 20;

function isFolder(named: string, cwd: string): boolean {
  const path = resolve(cwd, named);
  return existsSync(path) && statSync(path).isDirectory();
}

/**
 * Returns the exploration that the user named, by the path of its file or by its name. Names are searched in the configuration's folder and below.
 * @throws SeqqaError with exit status 2 if there is no such exploration, or more than one
 */
export async function oneExploration(named: string, { folder }: Config, shell: Shell, machinery: Machinery): Promise<NamedExploration> {
  if (isFileOfExploration(named, shell.cwd)) return { file: resolve(shell.cwd, named), name: nameOfFile(named) };
  if (isExplorationFile(named))
    throw usage(`The file ${printable(named)} does not exist.`, "seqqa list shows the files and names of all explorations.");
  const { explorations, unusable } = await machinery.describeExplorations(await machinery.discover(folder));
  const all = explorations.map(({ file, name }) => ({ file, name: name ?? nameOfFile(file) }));
  const found = all.filter(({ file, name }) => name === named || nameOfFile(file) === named);
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    const files = found.map(({ file }) => shownPath(file, shell.cwd)).join(", ");
    throw usage(
      `${found.length} explorations are named ${JSON.stringify(named)}.`,
      `Give the file of one of these explorations instead: ${files}.`,
    );
  }
  const broken = unusable.find(({ file }) => nameOfFile(file) === named);
  if (broken !== undefined) throw broken.error;
  if (isFolder(named, shell.cwd)) {
    const inFolder = (await machinery.describeExplorations(await machinery.discover(resolve(shell.cwd, named)))).explorations;
    const [first] = inFolder.map(({ file, name }) => name ?? nameOfFile(file));
    throw usage(
      `${printable(named)} is a folder. One exploration is expected.`,
      first === undefined
        ? "The folder contains no exploration."
        : `Give the name of an exploration and the configuration, such as ${printable(JSON.stringify(first))} --config ${printable(join(named, "seqqa.yaml"))}.`,
    );
  }
  const names = all.map(({ name }) => name);
  const near = nearest(named, names);
  const more = names.length > NAMED ? `, and ${names.length - NAMED} more, which seqqa list shows` : "";
  const list =
    names.length === 0 && unusable.length > 0
      ? "seqqa found no exploration that can be used."
      : names.length === 0
        ? "seqqa found no exploration. Create an example with seqqa init."
        : `The explorations are: ${names.slice(0, NAMED).map(printable).join(", ")}${more}.`;
  const files = unusable.slice(0, NAMED).map(({ file }) => printable(shownPath(file, shell.cwd)));
  const others = files.length === 0 ? "" : ` Files that cannot be used: ${files.join(", ")}. seqqa list shows why.`;
  throw usage(
    `No exploration is named ${JSON.stringify(named)}.`,
    `${near === undefined ? list : `Did you mean ${printable(near)}?`}${others}`,
  );
}
