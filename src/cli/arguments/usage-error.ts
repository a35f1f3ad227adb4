import type { Command, CommanderError, Option } from "commander";
import { nearest } from "../../model/text/nearest.ts";
import { SeqqaError } from "../../model/errors.ts";
import { alternatives } from "../../model/text/alternatives.ts";

/** Converts an error of commander to a SeqqaError. Commander's "(Did you mean ...?)" becomes the hint of the error. */
export function usageError(error: CommanderError, program: Command): SeqqaError {
  if (error.code === "commander.help") return missingCommand(error, program);
  const [first = "", ...rest] = error.message.replace(/^error:\s*/, "").split("\n");
  const suggestion = rest
    .join(" ")
    .replace(/^\((.*)\)$/, "$1")
    .trim();
  const sentence = `${first.charAt(0).toUpperCase()}${first.slice(1)}`.replace(/([^.?!])$/, "$1.");
  return new SeqqaError("USAGE", sentence, {
    exitStatus: 2,
    hint: otherName(first) || suggestion || meant(first, program) || missingSource(first) || helpFor(program),
    cause: error,
  });
}

/** Returns a hint for an option that users guess from a word in messages and documents, although the option has another name. */
function otherName(complaint: string): string | undefined {
  return /^unknown option '--lanes(?:=.*)?'/.test(complaint) ? "Did you mean --parallel?" : undefined;
}

/** Returns a hint that tells the user to read the help of a command. If no command was recognised, the hint names `run`, the most used command. */
function helpFor({ commands, args }: Command): string {
  const named = commands.find((command) => command.name() === args[0]);
  return `seqqa --help lists the commands. seqqa ${named?.name() ?? "run"} --help lists the options of this command.`;
}

/** Returns the hint for `seqqa scaffold` without a source. Returns `undefined` for other errors. */
function missingSource(complaint: string): string | undefined {
  return complaint.startsWith("missing required argument 'source'")
    ? "Give the file or URL of the API description, schema or recording, for example: seqqa scaffold openapi openapi.yaml"
    : undefined;
}

/** Returns the error for a command that needs a subcommand, such as `seqqa scaffold`. In this case commander prints help instead of an error. */
function missingCommand(cause: CommanderError, program: Command): SeqqaError {
  const group = program.commands.find(({ commands }) => commands.length > 0);
  const names = (group?.commands ?? []).map((command) => command.name());
  return new SeqqaError("USAGE", `${group?.name() ?? "seqqa"} needs a subcommand: ${alternatives(names)}.`, {
    exitStatus: 2,
    hint: `seqqa ${group?.name() ?? ""} ${names[0] ?? ""} --help shows its arguments.`,
    cause,
  });
}

/** Returns a hint with the allowed value nearest to the wrong value of an option. Commander lists the allowed values but suggests none. */
function meant(complaint: string, program: Command): string | undefined {
  const [, flags, value] = /^option '([^']+)' argument '(.*)' is invalid\. Allowed choices/s.exec(complaint) ?? [];
  if (flags === undefined || value === undefined) return undefined;
  const options = program.commands.flatMap((command) => [command, ...command.commands].flatMap((one) => one.options as Option[]));
  const option = options.find((one) => one.flags === flags);
  const near = nearest(value, option?.argChoices ?? []);
  if (near !== undefined) return `Did you mean ${near}?`;
  return option?.optional === true
    ? `seqqa reads the word after ${option.long} as the value of this option. Write the directory or journey before the option.`
    : undefined;
}
