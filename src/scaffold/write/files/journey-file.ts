import type { RecordedStep } from "../../infer/plan.ts";
import { quoted } from "../code/text.ts";
import type { NamedAction } from "../names.ts";
import type { ScaffoldFile } from "./scaffold-file.ts";

export interface JourneyInput {
  readonly name: string;
  readonly steps: readonly RecordedStep[];
  readonly named: readonly NamedAction[];
  readonly hasUsers: boolean;
  readonly hasKeys: boolean;
  /** `true` if the login stores ids of the user in the context. */
  readonly hasOwnIds: boolean;
}

/** Returns a generated journey that executes the actions of a recording in their order. */
export function journeyFile({ name, steps, named, hasUsers, hasKeys, hasOwnIds }: JourneyInput): ScaffoldFile {
  const byAction = new Map(named.map((one) => [one.action, one]));
  const called = steps.flatMap((step) => (step.kind === "call" ? (byAction.get(step.action) ?? []) : []));
  const aliases = aliasesOf(called);
  const files = [...new Set(called.map(({ file }) => file))].toSorted();
  const imports = files.map((file) => {
    const names = [...aliases]
      .filter(([one]) => one.file === file)
      .map(([{ identifier }, alias]) => (alias === identifier ? identifier : `${identifier} as ${alias}`));
    const line = `import { ${names.join(", ")} } from "../${file}";`;
    return line.length <= 120 ? line : `import {\n${names.map((one) => `  ${one},\n`).join("")}} from "../${file}";`;
  });
  const lineOf = (step: RecordedStep): readonly string[] => {
    if (step.kind === "login") {
      const [api, context] = hasOwnIds && step.user === "alice" ? ["api, context", ", context"] : ["api", ""];
      return hasUsers ? [`    new Step({ name: "log in", action: (${api}) => logIn(api, users.${step.user}${context}) }),`] : [];
    }
    const one = byAction.get(step.action);
    if (one === undefined) return [];
    const fails = step.failure === undefined ? "" : `, expectFailure: ${step.failure}`;
    return [`    new Step({ name: ${quoted(one.name)}, action: ${aliases.get(one)!}.run${fails} }),`];
  };
  const lines = [
    ...(hasKeys ? ['    new Step({ name: "set keys", action: (_api, context) => setKeys(context) }),'] : []),
    ...steps.flatMap(lineOf),
  ];
  return {
    path: `journeys/${name}.ts`,
    isImported: false,
    text: `import { Journey, Step } from "seqqa";
${imports.join("\n")}
import type { Keys } from "../context.ts";
${hasUsers ? 'import { logIn, users } from "../session.ts";\n' : ""}${hasKeys ? 'import { setKeys } from "../setup.ts";\n' : ""}
/** The recording, call by call. If a recorded answer has a status of 400 or above, the step expects this status. */
export const journey: Journey<Keys> = new Journey<Keys>({
  name: ${quoted(name)},
  steps: [
${lines.join("\n")}
  ],
});
`,
  };
}

/** Returns a unique name for the import of each action. Two files may declare actions of the same name. */
function aliasesOf(all: readonly NamedAction[]): ReadonlyMap<NamedAction, string> {
  const taken = new Set(["Journey", "Step", "Keys", "logIn", "users", "setKeys", "journey"]);
  const aliases = new Map<NamedAction, string>();
  for (const one of all) {
    if (aliases.has(one)) continue;
    let alias = one.identifier;
    for (let number = 2; taken.has(alias); number++) alias = `${one.identifier}${number}`;
    taken.add(alias);
    aliases.set(one, alias);
  }
  return aliases;
}
