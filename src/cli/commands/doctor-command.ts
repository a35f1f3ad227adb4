import { configOfStores } from "../arguments/config-for.ts";
import type { StoreCheck } from "../../model/stores/store-provider.ts";
import { coloursFor, printable } from "../../reports/index.ts";
import type { ExitStatus } from "../../run/session/exit-status.ts";
import type { Machinery } from "../run/machinery.ts";
import type { StoreOptions } from "../arguments/program.ts";
import type { Shell } from "../process/shell.ts";

/** Runs `seqqa doctor`: checks everything that a run needs and prints one line for each check. Returns exit status 3 if a check fails. */
export async function doctorCommand(
  directory: string | undefined,
  options: StoreOptions,
  shell: Shell,
  machinery: Machinery,
  version: string,
): Promise<ExitStatus> {
  const config = configOfStores(directory, options, shell);
  const checks = await machinery.doctor(config);
  const exitStatus: ExitStatus = checks.every(({ ok }) => ok) ? 0 : 3;
  if (options.json === true) shell.stdout.write(`${JSON.stringify({ seqqa: version, checks, exitStatus }, null, 2)}\n`);
  else shell.stdout.write(`${lines(checks, shell).join("\n")}\n`);
  return exitStatus;
}

function lines(checks: readonly StoreCheck[], shell: Shell): readonly string[] {
  const colours = coloursFor(shell.stdout, shell.env);
  const width = Math.max(...checks.map(({ what }) => what.length));
  const wrong = checks.filter(({ ok }) => !ok).length;
  return [
    ...checks.map(
      ({ ok, what, says }) => `${ok ? colours.green("ok     ") : colours.red("problem")}  ${what.padEnd(width)}  ${printable(says)}`,
    ),
    "",
    wrong === 0 ? "All checks passed: a run can start." : `${wrong} ${wrong === 1 ? "problem" : "problems"}.`,
  ];
}
