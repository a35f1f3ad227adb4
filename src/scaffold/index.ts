import { relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { SeqqaError } from "../model/errors.ts";
import { readDescription } from "../openapi/index.ts";
import { planGraphql, readSchema } from "./graphql/index.ts";
import { planScaffold } from "./infer/index.ts";
import type { ScaffoldPlan } from "./infer/plan.ts";
import { planRecording, readRecording } from "./recording/index.ts";
import { writeScaffold, type WriteInput, type Written } from "./write/index.ts";

export type { Written } from "./write/index.ts";
export type { ScaffoldPlan } from "./infer/plan.ts";

export interface ScaffoldInput {
  readonly source: string;
  readonly cwd: string;
  readonly out: string;
  /** `true` if files are overwritten although the user changed them. */
  readonly force: boolean;
  /** `true` if the OpenAPI description may refer to any file or URL. `false` if the description may refer only to files in its own folder. */
  readonly allowRefs: boolean;
  readonly version: string;
}

export interface Scaffolded extends Written {
  readonly plan: ScaffoldPlan;
}

/**
 * Reads an OpenAPI description, infers how its operations depend on each other, and writes a folder with an exploration of the API.
 * @throws SeqqaError with exit status 2 if the source cannot be read, if the source describes no operation (`SCAFFOLD_EMPTY`), or if files cannot be
 * written
 */
export async function scaffoldOpenapi(input: ScaffoldInput): Promise<Scaffolded> {
  const { source, cwd, out, force, allowRefs, version } = input;
  const description = await readDescription(source, { cwd, allowRefs });
  const plan = planScaffold(description);
  if (plan.actions.length === 0) {
    throw new SeqqaError("SCAFFOLD_EMPTY", `${source} contains no operation, so seqqa cannot generate any actions.`, {
      exitStatus: 2,
      hint: "Add operations to the description: methods such as `get` below a path of `paths`.",
    });
  }
  const directory = resolve(cwd, out);
  const file = /^https?:\/\//i.test(source) ? undefined : /^file:\/\//i.test(source) ? fileURLToPath(source) : resolve(cwd, source);
  const described: WriteInput["description"] =
    file === undefined
      ? { kind: "copy", text: `${JSON.stringify(description.document, null, 2)}\n` }
      : { kind: "file", url: relativeUrl(directory, file), allowRefs };
  return { plan, ...writeScaffold({ plan, directory, shown: out, description: described, version, force }) };
}

/**
 * Reads a GraphQL schema, infers how its queries and mutations depend on each other, and writes a folder with an exploration of the API.
 * @throws SeqqaError exit status 2: if the source cannot be read, if it has no query or mutation (`SCAFFOLD_EMPTY`), or if files cannot be written
 */
export async function scaffoldGraphql(input: Omit<ScaffoldInput, "allowRefs">): Promise<Scaffolded> {
  const { source, cwd, out, force, version } = input;
  const plan = planGraphql(await readSchema(source, { cwd }));
  if (plan.actions.length === 0) {
    throw new SeqqaError(
      "SCAFFOLD_EMPTY",
      `${source} contains no query or mutation that seqqa can call, so seqqa cannot generate any actions.`,
      {
        exitStatus: 2,
        hint: "Check that the types `Query` and `Mutation`, or the types that `schema` names, have fields.",
      },
    );
  }
  const directory = resolve(cwd, out);
  return { plan, ...writeScaffold({ plan, directory, shown: out, description: { kind: "none" }, version, force }) };
}

/**
 * Reads recorded traffic (a HAR archive or a Postman collection) and infers which calls return the ids that later calls send. Writes a folder with an
 * exploration of these calls, and with the recording as a journey.
 * @throws SeqqaError exit status 2: if the file cannot be read, if it has no call of an API (`SCAFFOLD_EMPTY`), or if files cannot be written
 */
export async function scaffoldRecording(from: "har" | "postman", input: Omit<ScaffoldInput, "allowRefs">): Promise<Scaffolded> {
  const { source, cwd, out, force, version } = input;
  const recording = await readRecording(from, source, cwd);
  const plan = planRecording(recording);
  if (plan.actions.length === 0) {
    throw new SeqqaError("SCAFFOLD_EMPTY", `${recording.name} contains no call of an API, so seqqa cannot generate any actions.`, {
      exitStatus: 2,
      hint: recording.notes[0] ?? "The recording contains no requests. Send requests to the API while you record.",
    });
  }
  return { plan, ...writeScaffold({ plan, directory: resolve(cwd, out), shown: out, description: { kind: "none" }, version, force }) };
}

/** Returns the relative URL of a file, seen from a folder, for generated code of the form `new URL("...", import.meta.url)`. */
function relativeUrl(directory: string, file: string): string {
  const path = relative(directory, file)
    .split(sep)
    .map((part) => encodeURIComponent(part))
    .join("/");
  return path.startsWith("..") ? path : `./${path}`;
}
