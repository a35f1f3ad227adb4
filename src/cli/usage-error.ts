import type { CommanderError } from "commander";
import { SeqqaError } from "../model/errors.ts";

/** What commander complains about, as one sentence of ours; its "(Did you mean ...?)" becomes the hint. */
export function usageError(error: CommanderError): SeqqaError {
  const [first = "", ...rest] = error.message.replace(/^error:\s*/, "").split("\n");
  const suggestion = rest
    .join(" ")
    .replace(/^\((.*)\)$/, "$1")
    .trim();
  const sentence = `${first.charAt(0).toUpperCase()}${first.slice(1)}`.replace(/([^.?!])$/, "$1.");
  return new SeqqaError("USAGE", sentence, {
    exitStatus: 2,
    hint: suggestion === "" ? "seqqa --help lists commands, seqqa run --help the options." : suggestion,
    cause: error,
  });
}
