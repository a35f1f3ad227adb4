import { withoutPasswords } from "../../config/index.ts";
import { whereOf } from "../../loader/index.ts";
import { isOfUserCode, SeqqaError } from "../../model/errors.ts";
import { printableLines } from "../../reports/index.ts";

/**
 * Formats an error for standard error: its message, and a line with its hint. If user code caused the error, the text begins with the place in that
 * code. If `verbose` is `true`, the stack and the causes are added.
 */
export function errorText(error: unknown, verbose: boolean): string {
  if (!(error instanceof SeqqaError) && isOfUserCode(error)) return errorText(outsideOfSteps(error), verbose);
  const known = error instanceof SeqqaError;
  const message = error instanceof Error ? error.message : String(error);
  const isOfUser = known && (isOfUserCode(error) || (error.cause instanceof Error && isOfUserCode(error.cause)));
  const where = isOfUser ? whereOf(error) : undefined;
  const place = where === undefined || message.includes(where) ? "" : `${where}: `;
  const sentence = known ? `${place}${message}` : `seqqa itself failed: ${message || "no message"}`;
  const hint = known
    ? error.hint
    : verbose
      ? undefined
      : "Run the command again with --verbose. Report the printed stack trace as a defect of seqqa.";
  const lines = [`error: ${sentence}`, ...(hint === undefined ? [] : [`hint: ${hint}`]), ...(verbose ? stacks(error) : [])];
  return printableLines(withoutPasswords(lines.join("\n")));
}

/** Creates the error for user code that fails outside of steps, for example because of a forgotten `await` at the top level of a file. */
function outsideOfSteps(error: unknown): SeqqaError {
  const message = error instanceof Error ? error.message : String(error);
  return new SeqqaError(
    "UNCAUGHT_EXCEPTION",
    `Your code threw an error outside of every call that seqqa awaits: ${message || "no message"}`,
    {
      hint: "Await each promise at the top level of a file, and catch errors in timers and listeners. --verbose prints the stack trace.",
      cause: error,
    },
  );
}

function stacks(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  const cause =
    error.cause === undefined
      ? []
      : error.cause instanceof Error
        ? ["caused by:", ...stacks(error.cause)]
        : [`caused by: ${String(error.cause)}`];
  return [error.stack ?? error.message, ...cause];
}
