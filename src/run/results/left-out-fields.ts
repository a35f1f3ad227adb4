import type { VerdictException } from "../../model/results/result.ts";
import { ignoreLines } from "../../model/stores/ignore-line.ts";
import type { Knowledge } from "../../state/index.ts";

/** Returns the verdict's exceptions for fields that were left out of states. */
export function droppedFields({ dropped, background }: Knowledge): readonly VerdictException[] {
  const differ = dropped.map(({ field }) => field);
  return [
    ...leftOut("dropped_field", differ, differ.length === 1 ? "differs between executions" : "differ between executions"),
    ...leftOut("background", background, background.length === 1 ? "changes without a request" : "change without a request"),
  ];
}

/** Returns sentences about fields that were left out of states and make the result unverified, each with a remedy. */
export function unverifiedFields({ dropped }: Knowledge): readonly string[] {
  return dropped.map(({ field, values: [first, second], isRows }) =>
    isRows === true
      ? `The number of rows of ${field} differs between executions of one path (${first}, then ${second}). seqqa does not leave rows out of the states by itself. To leave them out, write ${ignoreLines([field])}.`
      : `${field} differs between executions of one path (${first}, then ${second}), so seqqa left it out of the states. To confirm this, write ${ignoreLines([field])}.`,
  );
}

function leftOut(kind: VerdictException["kind"], fields: readonly string[], why: string): readonly VerdictException[] {
  return fields.length === 0 ? [] : [{ kind, count: fields.length, text: `${fields.join(", ")} (${why})` }];
}
