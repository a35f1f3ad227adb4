import type { CleanedUp } from "../../run/index.ts";
import { reasonsOf, type Leftover, type RowImages } from "../../model/stores/leftover.ts";
import { SeqqaError } from "../../model/errors.ts";
import { printable } from "../../reports/index.ts";
import { writeKept } from "../../stores/external/kept-file.ts";
import { errorText } from "../process/error-text.ts";
import { configOfStores } from "../arguments/config-for.ts";
import type { ExitStatus } from "../../run/session/exit-status.ts";
import type { Machinery } from "../run/machinery.ts";
import type { CleanOptions } from "../arguments/program.ts";
import type { Shell } from "../process/shell.ts";

const NAMED = 20;

/**
 * Runs `seqqa clean`: removes the files, processes and copies of stores that dead runs left behind. Restores rows in the user's own stores, but only
 * after the user confirms. Leaves runs alone that are still alive. If a store cannot be cleaned, cleans all other stores.
 *
 * Returns exit status 3 if a store could not be cleaned, or if rows were not restored. Rows are not restored if the user does not confirm, if another
 * client changed them, or if a run that may be alive uses their store. With --dry-run, only shows what would be done, and returns exit status 3 only
 * if a store could not be examined.
 */
export async function cleanCommand(
  directory: string | undefined,
  options: CleanOptions,
  shell: Shell,
  machinery: Machinery,
): Promise<ExitStatus> {
  const config = configOfStores(directory, options, shell);
  const out = (line: string): void => void shell.stdout.write(`${line}\n`);
  const planned = await machinery.clean(config, { dryRun: true });
  for (const one of planned.leftovers) out(shown(one));
  if (options.dryRun === true) {
    for (const line of planned.removed) out(`would remove ${printable(line)}`);
    conclude(planned, shell);
    return planned.failures.length > 0 ? 3 : 0;
  }
  if (planned.leftovers.length > 0 && options.yes !== true && !(await isConfirmed(planned.leftovers, shell))) {
    out("seqqa clean changed nothing.");
    return 3;
  }
  const files: string[] = [];
  const cleaned = await machinery.clean(config, { onKept: (leftover) => void files.push(writeKept(leftover, shell.cwd)) });
  const { removed, leftovers, inUse, failures } = cleaned;
  for (const line of removed) out(`removed ${printable(line)}`);
  for (const { store, undo, keep, unlogged } of leftovers) {
    out(`${printable(capital(store))}: ${rows(undo.length)} restored, ${keep.length} kept.`);
    if (unlogged !== undefined) out(`seqqa cannot undo this change: ${printable(unlogged)}`);
  }
  for (const file of files) out(`The values of the kept rows before and after the run are in ${printable(file)}`);
  conclude(cleaned, shell);
  return inUse.length + failures.length > 0 || leftovers.some(({ keep, unlogged }) => keep.length > 0 || unlogged !== undefined) ? 3 : 0;
}

/** Prints what was not cleaned, with the reasons. If dead runs left nothing behind, prints a sentence that says so. */
function conclude({ removed, leftovers, inUse, notAllowed, failures }: CleanedUp, { stdout, stderr }: Shell): void {
  for (const sentence of inUse)
    stdout.write(`${printable(sentence)} seqqa clean did not change this store. If that run no longer exists, try again in a minute.\n`);
  for (const line of notAllowed)
    stdout.write(`not removed, because the user in the store's URL has no permission to remove it: ${printable(line)}\n`);
  for (const error of failures) stderr.write(`${errorText(error, false)}\n`);
  if (removed.length + leftovers.length + inUse.length + notAllowed.length + failures.length === 0)
    stdout.write("Nothing to clean: no run left anything behind.\n");
}

/**
 * Asks the user at the terminal to confirm that stores are changed.
 * @throws SeqqaError `CLEAN_NEEDS_YES` without an interactive terminal
 */
async function isConfirmed(leftovers: readonly Leftover[], shell: Shell): Promise<boolean> {
  const restores = leftovers.some(({ undo }) => undo.length > 0);
  if (shell.confirm !== undefined) {
    return shell.confirm(
      restores
        ? "Restore these rows to their values before the run? [y/N] "
        : "No row can be restored. Write the earlier values of these rows to a file, and remove seqqa's records from the store? [y/N] ",
    );
  }
  throw new SeqqaError(
    "CLEAN_NEEDS_YES",
    `seqqa clean would ${restores ? "change rows of your own stores" : "remove its records of changed rows from your own stores"}, but cannot ask for confirmation without a terminal.`,
    {
      hint: restores
        ? "To restore the rows, run seqqa clean --yes. To see them first, run seqqa clean --dry-run."
        : "To write the earlier values of the rows to a file and remove the records, run seqqa clean --yes. To see the rows first, run seqqa clean --dry-run.",
      exitStatus: 2,
    },
  );
}

function shown({ store, sinceMs, recordedMs, undo, keep, unlogged }: Leftover): string {
  const time = (ms: number): string => new Date(ms).toISOString();
  const when = sinceMs === 0 ? "" : ` (the run began ${time(sinceMs)} and was last seen ${time(recordedMs)})`;
  return [
    `${printable(capital(store))} contains rows that a killed run changed${when}:`,
    ...tables("goes back  ", undo),
    ...tables("stays      ", keep),
    ...reasonsOf(keep).map((why) => `  (seqqa cannot restore rows, because ${printable(why)}. It writes their earlier values to a file.)`),
    ...(keep.some(({ why }) => why === undefined)
      ? ["  (seqqa keeps a row that was written during the last request of the run or later, or to which another changed row refers.)"]
      : []),
    ...(unlogged === undefined ? [] : [`  (seqqa cannot undo this change: ${printable(unlogged)})`]),
  ].join("\n");
}

function tables(what: string, all: readonly RowImages[]): string[] {
  const byTable = new Map<string, string[]>();
  for (const { table, key } of all) byTable.set(table, [...(byTable.get(table) ?? []), key]);
  return [...byTable].map(([table, keys]) => {
    const more = keys.length > NAMED ? `, and ${keys.length - NAMED} more` : "";
    return `  ${what}${printable(`${table}  ${keys.slice(0, NAMED).join("; ")}`)}${more}`;
  });
}

function rows(count: number): string {
  return `${count} ${count === 1 ? "row" : "rows"}`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
