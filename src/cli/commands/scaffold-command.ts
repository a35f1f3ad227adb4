import { join, resolve } from "node:path";
import { SeqqaError } from "../../model/errors.ts";
import { printable } from "../../reports/index.ts";
import type { Scaffolded } from "../../scaffold/index.ts";
import type { ExitStatus } from "../../run/session/exit-status.ts";
import { nextCommand } from "./next-step.ts";
import type { Shell } from "../process/shell.ts";

export interface ScaffoldOptions {
  readonly out?: string;
  readonly force?: boolean;
  readonly allowRefs?: boolean;
}

const SHOWN = 5;

const SOURCES = {
  openapi: { what: "description", example: "openapi.yaml" },
  graphql: { what: "schema", example: "schema.graphql" },
  har: { what: "archive", example: "shop.har" },
  postman: { what: "collection", example: "shop.postman_collection.json" },
} as const;

export type ScaffoldSource = keyof typeof SOURCES;

/**
 * Runs `seqqa scaffold`: writes a folder from an OpenAPI description, a GraphQL schema or recorded traffic. Prints what was inferred, which files
 * were left unchanged, and the next step.
 */
export async function scaffoldCommand(
  from: ScaffoldSource,
  source: string,
  options: ScaffoldOptions,
  shell: Shell,
  version: string,
): Promise<ExitStatus> {
  const out = options.out ?? "qa";
  if (out.trim() === "" || source.trim() === "") {
    const { what: named, example } = SOURCES[from];
    const what = source.trim() !== "" ? "folder" : named;
    throw new SeqqaError("USAGE", `The name of the ${what} is empty.`, {
      exitStatus: 2,
      hint: `Give a name, for example: seqqa scaffold ${from} ${example} --out qa`,
    });
  }
  const { force = false, allowRefs = false } = options;
  // The scaffold is imported only when it is used, because it loads libraries that no other command needs.
  const { scaffoldGraphql, scaffoldOpenapi, scaffoldRecording } = await import("../../scaffold/index.ts");
  const input = { source, cwd: shell.cwd, out, force, version };
  const done = await (from === "openapi"
    ? scaffoldOpenapi({ ...input, allowRefs })
    : from === "graphql"
      ? scaffoldGraphql(input)
      : scaffoldRecording(from, input));
  const lines = [
    ...written(done, out),
    ...keptLines(done, out),
    ...inferred(done, out),
    ...keyLine(done),
    ...setupLine(done, out),
    ...accountLines(done),
    ...placeLine(done, out),
    `  ${next(done, out, shell.cwd, version)}`,
  ];
  shell.stdout.write(`${lines.map((line) => printable(line)).join("\n")}\n`);
  return 0;
}

function written({ files, actions, again, plan }: Scaffolded, out: string): readonly string[] {
  const count = (fate: string): number => actions.filter((one) => one.fate === fate).length;
  if (files.length === 0) return [`${out} already matches the ${nameOf(plan)}. seqqa wrote nothing.`];
  const groups = new Set(actions.filter(({ fate }) => fate !== "deleted").map(({ file }) => file)).size;
  const parts = again
    ? [`${count("added")} ${plural(count("added"), "action")} added`, `${count("updated")} updated`]
    : [`${count("added")} ${plural(count("added"), "action")} in ${groups} ${plural(groups, "file")} of ${join(out, "actions")}`];
  return [`Wrote ${files.length} ${plural(files.length, "file")} to ${out}: ${parts.join(", ")}.`];
}

function keptLines({ kept, actions, others, left, plan }: Scaffolded, out: string): readonly string[] {
  const changed = actions.filter(({ fate }) => fate === "edited" || fate === "deleted");
  const names = [
    ...changed.map(({ name, file, fate }) => `${join(out, file)}: ${name} (${fate})`),
    ...kept.map(({ path, why }) => `${join(out, path)} (${why})`),
  ];
  return [
    ...(names.length === 0 ? [] : [`seqqa kept your changes in: ${shortList(names)}.`]),
    ...(others.length === 0
      ? []
      : [
          `seqqa kept ${others.length} ${plural(others.length, "action")} that the ${nameOf(plan)} does not contain: ` +
            `${shortList(others.map(({ name, file }) => `${join(out, file)}: ${name}`))}. Remove actions that the API no longer has.`,
        ]),
    ...left.map((sentence) => `Do this by hand: ${sentence}.`),
  ];
}

function inferred({ plan }: Scaffolded, out: string): readonly string[] {
  const { all, inferred: known } = plan.pathParameters;
  const share = all === 0 ? "" : ` (${Math.floor((known / all) * 100)} %)`;
  const missing = grouped(plan.notInferred);
  return [
    all === 0
      ? `No ${plan.graphql === undefined ? "path has a parameter" : "argument takes an id"}.`
      : `${known} of ${all} ${plan.graphql === undefined ? "path parameters" : "arguments that take ids"} can be taken from the answer of another action${share}.`,
    ...(missing.length === 0
      ? []
      : [
          `seqqa could not infer these values: ${shortList(missing)}.`,
          `Write them yourself: ${join(out, "README.md")} lists the ${plan.notInferred.length} ${plural(plan.notInferred.length, "place")}.`,
        ]),
    ...(plan.warnings.length === 0
      ? []
      : plan.recording !== undefined
        ? plan.warnings.slice(0, SHOWN)
        : [
            plan.graphql === undefined
              ? `seqqa corrected ${plan.warnings.length} ${plural(plan.warnings.length, "place")} of the description. ${join(out, "README.md")} lists the corrections.`
              : `${plan.warnings.length} ${plural(plan.warnings.length, "part")} of the schema ${plan.warnings.length === 1 ? "is" : "are"} incorrect or left out: see ${join(out, "README.md")}.`,
          ]),
  ];
}

/** Returns a line that names the environment variable in which the user has to provide the API key. */
function keyLine({ files, plan: { login } }: Scaffolded): readonly string[] {
  if (files.length === 0 || login === undefined || login.kind === "operation" || login.kind === "basic") return [];
  const { variable } = login;
  return [
    `The calls send a ${login.kind === "bearer" ? "token" : "key"}. Set the environment variable ${variable}, and ${variable}_2 for a second user.`,
  ];
}

/** Returns lines that say how the generated code registers users, and which calls it does not contain because they would delete these users. */
function accountLines({ files, plan: { login, leftOut = [] } }: Scaffolded): readonly string[] {
  if (files.length === 0) return [];
  const register = login?.kind === "operation" ? login.register : undefined;
  return [
    ...(register === undefined ? [] : [`session.ts registers its users with ${callOf(register.action)}.`]),
    ...(leftOut.length === 0
      ? []
      : [`The exploration does not call ${shortList(leftOut.map(({ action, why }) => `${callOf(action)} (${why.replace(/\.$/, "")})`))}.`]),
  ];
}

/** Returns a line with the names of the values that the user should set in `setup.ts`, and the number of actions that need these values. */
function setupLine({ files, plan: { setup = [], actions } }: Scaffolded, out: string): readonly string[] {
  if (!files.includes("setup.ts")) return [];
  const reached = setup.at(-1)!.reached;
  const unlocked = setup.reduce((sum, { unlocks }) => sum + unlocks, 0);
  return [
    `${reached - unlocked} of ${actions.length} actions can be called now, and ${reached} once you set ${setup.length} ${plural(setup.length, "key")} in ` +
      `${join(out, "setup.ts")}: ${setup.map(({ key }) => key).join(", ")}.`,
  ];
}

/** Returns a line that asks the user for the URL of the API, because the URL in an API description is often wrong. */
function placeLine({ files, again }: Scaffolded, out: string): readonly string[] {
  if (again || !files.includes("seqqa.yaml")) return [];
  return [`Set base_url (the URL of the API) or target (how to start it) in ${join(out, "seqqa.yaml")}. Then run:`];
}

function next({ surroundings, files }: Scaffolded, out: string, cwd: string, version: string): string {
  const ownPackage = files.includes("package.json") || surroundings.packageFolder === resolve(cwd, out);
  return nextCommand({ shown: out, cwd, surroundings, ownPackage, version });
}

function grouped(missing: Scaffolded["plan"]["notInferred"]): readonly string[] {
  const actions = new Map<string, string[]>();
  for (const { action, what } of missing) actions.set(what, [...(actions.get(what) ?? []), action]);
  return [...actions]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([what, names]) => `${what} of ${names.length === 1 ? names[0]! : `${names.length} actions`}`);
}

function shortList(names: readonly string[]): string {
  const more = names.length - SHOWN;
  return [...names.slice(0, SHOWN), ...(more > 0 ? [`${more} more`] : [])].join("; ");
}

const nameOf = ({ recording }: Scaffolded["plan"]): string => (recording === undefined ? "description" : "recording");
const callOf = ({ operation: { method, path } }: Scaffolded["plan"]["actions"][number]): string => `${method.toUpperCase()} ${path}`;
const plural = (count: number, word: string): string => (count === 1 ? word : `${word}s`);
