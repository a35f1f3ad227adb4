import { join, sep } from "node:path";
import { configFor } from "../arguments/config-for.ts";
import { coloursFor, printable, printableLines } from "../../reports/index.ts";
import type { ExitStatus } from "../../run/session/exit-status.ts";
import { nameOfFile } from "../arguments/find-explorations.ts";
import { namedDirectory } from "../arguments/named-directory.ts";
import type { Machinery } from "../run/machinery.ts";
import { usage } from "../arguments/run-options.ts";
import type { Shell } from "../process/shell.ts";
import { shownMessage, shownPath } from "../process/shown-path.ts";

export interface ListOptions {
  readonly json?: boolean;
  readonly config?: string;
}

interface Listed {
  readonly kind: "journey" | "agent" | "graph";
  readonly name: string;
  readonly file: string;
  readonly steps?: number;
  readonly actions?: number;
  readonly invariants?: number;
}

/**
 * Runs `seqqa list`: lists the journeys and explorations. A file that cannot be used is reported with the reason, and the other files are still
 * listed.
 */
export async function listCommand(
  directory: string | undefined,
  options: ListOptions,
  shell: Shell,
  machinery: Machinery,
  version: string,
): Promise<ExitStatus> {
  const folder = namedDirectory(
    directory,
    shell,
    "Give a directory that contains explorations or journeys. Without a directory, seqqa list uses the folder of the configuration.",
  );
  const config = configFor(shell, {
    directory: directory ?? ".",
    file: options.config,
    allowedStores: "unopened",
  });
  const found = await machinery.findJourneys(config);
  const wanted = ({ file }: { readonly file: string }): boolean => folder === undefined || file.startsWith(join(folder, sep));
  const journeys = { journeys: found.journeys.filter(wanted), unusable: found.unusable.filter(wanted) };
  const explorations = await machinery.describeExplorations(await machinery.discover(folder ?? config.folder));
  const shown = (file: string): string => shownPath(file, shell.cwd);
  const listed: readonly Listed[] = [
    ...journeys.journeys.map(({ name, file, steps }) => ({ kind: "journey" as const, name, file: shown(file), steps })),
    ...explorations.explorations.map(({ kind, name, file, actions, invariants }) => ({
      kind,
      name: name ?? nameOfFile(file),
      file: shown(file),
      actions,
      invariants,
    })),
  ];
  const unusable = [...journeys.unusable, ...explorations.unusable].map(({ file, error }) => ({
    file: shown(file),
    code: error.code,
    message: shownMessage(error.message, file, shell.cwd),
  }));
  if (listed.length === 0 && unusable.length === 0) {
    throw usage(
      `The folder ${shown(folder ?? config.folder) || "."} contains no journeys and no explorations.`,
      "Write journeys in the folder journeys next to seqqa.yaml, and explorations in files such as shop.explore.ts. seqqa init writes an example.",
    );
  }
  if (options.json === true) {
    const document = {
      seqqa: version,
      journeys: listed.filter(({ kind }) => kind === "journey").map(({ name, file, steps }) => ({ name, file, steps })),
      explorations: listed.filter(({ kind }) => kind !== "journey"),
      unusable,
    };
    shell.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  } else {
    for (const line of lines(listed, shell)) shell.stdout.write(`${line}\n`);
    for (const { message } of unusable) shell.stderr.write(`This file cannot be used: ${printableLines(message)}\n`);
  }
  return listed.length === 0 ? 2 : 0;
}

function lines(listed: readonly Listed[], shell: Shell): readonly string[] {
  const colours = coloursFor(shell.stdout, shell.env);
  const rows = listed.map((one) => [one.kind, printable(one.name), printable(one.file), parts(one)] as const);
  const width = (column: 0 | 1 | 2): number => Math.max(...rows.map((row) => row[column].length));
  return rows.map(
    ([kind, name, file, holds]) =>
      `${colours.dim(kind.padEnd(width(0)))}  ${colours.bold(name.padEnd(width(1)))}  ${file.padEnd(width(2))}  ${holds}`,
  );
}

function parts({ kind, steps = 0, actions = 0, invariants = 0 }: Listed): string {
  const count = (many: number, word: string): string => `${many} ${word}${many === 1 ? "" : "s"}`;
  if (kind === "journey") return count(steps, "step");
  return `${count(actions, kind === "graph" ? "edge" : "action")}, ${count(invariants, "invariant")}`;
}
