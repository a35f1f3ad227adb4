import type { VerdictException } from "../../model/results/result.ts";
import { ignoreLines } from "../../model/stores/ignore-line.ts";
import type { Knowledge } from "../../state/index.ts";

/** Returns the verdict's exceptions for fields that were left out of states. */
export function droppedFields({ dropped, background }: Knowledge): readonly VerdictException[] {
  const [ofProcess, others] = [true, false].map((is) =>
    dropped.filter(({ isOfProcess = false }) => isOfProcess === is).map(({ field }) => field),
  );
  return [
    ...leftOut("dropped_field", others!, others!.length === 1 ? "differs between executions" : "differ between executions"),
    ...leftOut("dropped_field", ofProcess!, `${ofProcess!.length === 1 ? "differs" : "differ"} between processes of the target`),
    ...leftOut("background", background, background.length === 1 ? "changes without a request" : "change without a request"),
  ];
}

/** Returns sentences about fields that were left out of states and make the result unverified, each with a remedy. */
export function unverifiedFields({ dropped }: Knowledge): readonly string[] {
  return dropped.map(({ field, values, isRows, isOfProcess }) => {
    const line = ignoreLines([field]);
    if (isOfProcess === true) {
      const [first, second] = values.map(shortened);
      return `${field} is ${first} in one process of the target and ${second} in another: the value probably comes from the process itself, such as its id or a secret drawn at its start, or is computed from rows that each process writes at its start. seqqa left it out of the states. If the value can be set, set it in target.env. If it is computed from such rows, add the rows to the store of db_url, so that every lane begins with the same rows. Otherwise, write ${line}.`;
    }
    const [first, second] = values;
    return isRows === true
      ? `The number of rows of ${field} differs between executions of one path (${first}, then ${second}). seqqa does not leave rows out of the states by itself. To leave them out, write ${line}.`
      : `${field} differs between executions of one path (${first}, then ${second}), so seqqa left it out of the states. To confirm this, write ${line}.`;
  });
}

/** Maximum number of characters of a value that a sentence shows. */
const LONGEST = 60;

const shortened = (value: string): string => (value.length <= LONGEST ? value : `${value.slice(0, LONGEST)}...`);

function leftOut(kind: VerdictException["kind"], fields: readonly string[], why: string): readonly VerdictException[] {
  return fields.length === 0 ? [] : [{ kind, count: fields.length, text: `${fields.join(", ")} (${why})` }];
}
