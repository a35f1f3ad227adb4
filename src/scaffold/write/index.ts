import { join } from "node:path";
import { packageManifest, schemaPath, surroundingsOf, templateFiles, type Surroundings } from "../../init/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { GivenKey, PlannedAction, PlannedKey, RecordedStep, ScaffoldPlan, PlannedValue } from "../infer/plan.ts";
import { reachable } from "../infer/setup/choose-keys.ts";
import { actionCode, usesOf } from "./code/action.ts";
import { slug } from "./code/identifier.ts";
import { text } from "./code/layout.ts";
import { configFile } from "./files/config-file.ts";
import { contextFile } from "./files/context-file.ts";
import { explorationFile } from "./files/exploration-file.ts";
import { indexFile } from "./files/index-file.ts";
import { journeyFile } from "./files/journey-file.ts";
import { readmeFile } from "./files/readme-file.ts";
import { resourcesFile } from "./files/resources-file.ts";
import type { RuleInput } from "./files/rules.ts";
import type { ScaffoldFile } from "./files/scaffold-file.ts";
import { idsOf, isQueryKey, sessionFile } from "./files/session-file.ts";
import { setupFile } from "./files/setup-file.ts";
import { smallFiles } from "./files/small-files.ts";
import { supportFile } from "./files/support-file.ts";
import { Disk } from "./merge/disk.ts";
import { MANIFEST, manifestText, NOTHING_WRITTEN, parseManifest, type Manifest, type WrittenAction } from "./merge/manifest.ts";
import { mergeActions, type Fate, type MergedFile, type WrittenCode } from "./merge/merge-actions.ts";
import { settleFile } from "./merge/merge-file.ts";
import { nameActions, type NamedAction } from "./names.ts";

export interface WriteInput {
  readonly plan: ScaffoldPlan;
  readonly directory: string;
  readonly shown: string;
  /**
   * The OpenAPI description for the rule `conformsTo`: a copy in the generated folder, or the relative URL of a file. `none` if there is no OpenAPI
   * description.
   */
  readonly description:
    | { readonly kind: "copy"; readonly text: string }
    | { readonly kind: "file"; readonly url: string; readonly allowRefs: boolean }
    | { readonly kind: "none" };
  readonly version: string;
  readonly force: boolean;
}

export interface Written {
  readonly surroundings: Surroundings;
  readonly files: readonly string[];
  /** Files that were not written, because the user created, edited or deleted them. */
  readonly kept: readonly { readonly path: string; readonly why: "edited" | "deleted" | "yours" }[];
  readonly actions: readonly { readonly name: string; readonly file: string; readonly fate: Fate }[];
  /** The actions of earlier runs of `seqqa scaffold` that the current source does not contain. They stay in their files. */
  readonly others: readonly { readonly name: string; readonly file: string }[];
  /** The generated code that could not be inserted into files that the user changed, one sentence each. */
  readonly left: readonly string[];
  readonly again: boolean;
}

/** The name of the file to which seqqa copies an OpenAPI description that was read from a URL. */
const COPY = "openapi.json";

/**
 * Writes the files of a plan into a folder. If the folder was generated before, adds only what is new and keeps the user's changes.
 * @throws SeqqaError exit status 2. In that case nothing is written.
 */
export function writeScaffold(input: WriteInput): Written {
  const { plan, directory, shown, force } = input;
  const disk = new Disk(directory, shown);
  const before = manifestOf(disk, shown, force);
  const named = nameActions(plan, before, (file) => !force && !Object.hasOwn(before.files, file) && disk.read(file) !== undefined);
  refuseAnother(named, before, shown, force);
  const keys = keysOf(plan);
  const merged = mergedActions(input, named, keys, before, disk);
  const surroundings = surroundingsOf(directory);
  const exploration = before.exploration ?? freeExploration(plan.title, disk);
  const actions = writtenActions(before, merged);
  const ofPlan = [...merged].filter(([, { text: written }]) => written !== undefined).map(([file]) => file);
  const kept = Object.values(actions).filter(({ file, deleted }) => deleted !== true && !merged.has(file) && disk.read(file) !== undefined);
  const living = new Set(Object.values(actions).flatMap(({ file, deleted }) => (deleted === true ? [] : [file])));
  const counters = [...new Set(named.flatMap(({ counter }) => counter ?? []))];
  const { setup = [] } = plan;
  const hasUsers = plan.login !== undefined && !isQueryKey(plan.login);
  const allKeys = withoutDoubles([...keys, ...counters.map((key): PlannedKey => ({ key, type: "number" })), ...(force ? [] : before.keys)]);
  const types = new Map(keys.map(({ key, type }) => [key, type]));
  const hasOwnIds = idsOf(plan.login) !== undefined;
  const files: readonly ScaffoldFile[] = [
    indexFile(
      [...new Set([...ofPlan, ...kept.map(({ file }) => file)])].filter((file) => living.has(file)),
      ofPlan.filter((file) => !Object.hasOwn(before.files, file)),
      plan.graphql !== undefined,
    ),
    contextFile(
      allKeys,
      counters,
      allKeys.map(({ key }) => key).filter((key) => !before.keys.some((one) => one.key === key)),
    ),
    ...(plan.graphql === undefined && plan.recording === undefined ? [ofResources(plan, before)] : []),
    supportFile(),
    ...(plan.login === undefined ? [] : [sessionFile(plan.login, plan.apiKeys, (key) => types.get(key) ?? "unknown")]),
    ...(setup.length === 0 ? [] : [ofSetup(plan, setup, before)]),
    explorationFile({
      path: exploration,
      name: exploration.slice(0, -".explore.ts".length),
      description: plan.recording !== undefined ? undefined : input.description.kind === "file" ? input.description.url : `./${COPY}`,
      allowRefs: input.description.kind === "file" && input.description.allowRefs,
      endpoint: plan.graphql?.path,
      basePath: plan.basePath,
      hasCookies: plan.hasCookies,
      hasOwnIds,
      hasUsers,
      hasKeys: setup.length > 0,
      ...proposals(plan, named),
    }),
    ...(plan.recording === undefined ? [] : [ofRecording(plan.recording.steps)]),
    ...(input.description.kind === "copy" ? [{ path: COPY, text: input.description.text, isImported: false }] : []),
    configFile(plan, schemaPath(directory, surroundings)),
    readmeFile({ plan, named, exploration, hasUsers, placeOf: (action) => placeOf(action, merged) }),
    ...smallFiles(new Map(templateFiles().map(({ path, text: template }) => [path, template]))),
    ...(surroundings.packageFolder === undefined || Object.hasOwn(before.files, "package.json")
      ? [{ path: "package.json", text: packageManifest(directory, input.version), isImported: false }]
      : []),
  ];
  return conclude();

  function ofRecording(steps: readonly RecordedStep[]): ScaffoldFile {
    const living = named.filter(({ id, file }) => merged.get(file)?.fates.get(id) !== "deleted");
    return journeyFile({ name: slug(plan.title, "recording"), steps, named: living, hasUsers, hasKeys: setup.length > 0, hasOwnIds });
  }

  function conclude(): Written {
    const changes: { path: string; text: string }[] = [];
    const hashes: Record<string, string> = { ...before.files };
    const keptFiles: { path: string; why: "edited" | "deleted" | "yours" }[] = [];
    const left = [...merged.values()].flatMap((one) => one.left);
    const conflicts: string[] = [];
    const planned = new Set(named.map(({ id }) => id));
    for (const [path, one] of merged) {
      if (one.hash !== undefined) hashes[path] = one.hash;
      if (one.text !== undefined && one.text !== disk.read(path)) changes.push({ path, text: one.text });
    }
    for (const file of files) {
      const settled = settleFile(file, disk.read(file.path), before, force);
      if (settled.kind === "conflict") conflicts.push(join(shown, file.path));
      else if (settled.hash !== undefined) hashes[file.path] = settled.hash;
      if (settled.kind === "write") {
        changes.push({ path: file.path, text: settled.text });
        left.push(...settled.left);
      }
      if (settled.kind === "keep" && settled.why !== undefined) keptFiles.push({ path: file.path, why: settled.why });
    }
    if (conflicts.length > 0) throw wouldOverwrite(conflicts);
    const manifest: Manifest = {
      exploration,
      files: hashes,
      actions,
      keys: allKeys,
      setup: [...new Set([...setup.map(({ key }) => key), ...before.setup])],
      resources: [...new Set([...plan.resources.map(({ name }) => name), ...before.resources])],
    };
    const text_ = manifestText(manifest);
    disk.write(text_ === disk.read(MANIFEST) ? changes : [...changes, { path: MANIFEST, text: text_ }]);
    return {
      surroundings,
      files: changes.map(({ path }) => path),
      kept: keptFiles,
      actions: named.map(({ id, name, file }) => ({ name, file, fate: merged.get(file)!.fates.get(id)! })),
      others: Object.entries(actions)
        .filter(([id, { deleted, file }]) => deleted !== true && !planned.has(id) && disk.read(file) !== undefined)
        .map(([, { name, file }]) => ({ name, file })),
      left,
      again: before !== NOTHING_WRITTEN,
    };
  }
}

function ofResources({ resources }: ScaffoldPlan, before: Manifest): ScaffoldFile {
  const names = resources.map(({ name }) => name);
  return resourcesFile(
    resources,
    names.filter((name) => !before.resources.includes(name)),
  );
}

function proposals(
  plan: ScaffoldPlan,
  named: readonly NamedAction[],
): Pick<RuleInput, "singleUse" | "sessionEnds" | "describesNoRefusals" | "publicCalls" | "shared" | "listed"> {
  const { singleUse = [], sessionEnds, describesNoRefusals, publicCalls = [], shared = [] } = plan;
  const names = new Map(named.map(({ action, name }) => [action, name]));
  const nameOf = (action: PlannedAction): string => names.get(action)!;
  return {
    singleUse: singleUse.map(({ what, create, use, isLinked }) => ({ what, create: nameOf(create), use: nameOf(use), isLinked })),
    sessionEnds: sessionEnds && {
      check: sessionEnds.check.operation.path,
      logout: sessionEnds.logout.map(nameOf),
      after: sessionEnds.after.map(nameOf),
    },
    describesNoRefusals,
    publicCalls: publicCalls.map(nameOf),
    shared,
    listed: listedKeys(plan).filter((key) => !shared.includes(key)),
  };
}

/** Returns the context keys that actions need and whose values come only from lists. No action creates the items of these keys. */
function listedKeys({ actions }: ScaffoldPlan): readonly string[] {
  const needed = new Set(actions.flatMap(({ needs }) => needs));
  const productions = actions.flatMap(({ produces, operation, graphql }) =>
    produces.map((one) => {
      const isRead = graphql === undefined ? operation.method === "get" || operation.method === "head" : graphql.kind === "query";
      return { key: one.key, isListed: isRead && one.from === "body" && one.path.some((step) => typeof step === "number") };
    }),
  );
  const made = new Set(productions.flatMap(({ key, isListed }) => (isListed ? [] : [key])));
  return [...new Set(productions.map(({ key }) => key))].filter((key) => needed.has(key) && !made.has(key));
}

function ofSetup({ actions, login }: ScaffoldPlan, setup: readonly GivenKey[], before: Manifest): ScaffoldFile {
  const known = new Set(before.setup);
  const { login: ofLogin, register } = idsOf(login) ?? { login: [], register: [] };
  const ownKeys = [...ofLogin, ...register].map(({ key }) => key);
  const added = setup.flatMap(({ key }) => (known.has(key) ? [] : [key]));
  return setupFile(setup, added, { reachable: reachable(actions, ownKeys), all: actions.length });
}

function manifestOf(disk: Disk, shown: string, force: boolean): Manifest {
  const written = disk.read(MANIFEST);
  if (written === undefined) return NOTHING_WRITTEN;
  try {
    return parseManifest(written, join(shown, MANIFEST));
  } catch (error) {
    if (force) return NOTHING_WRITTEN;
    throw error;
  }
}

function mergedActions(
  { plan, force }: WriteInput,
  named: readonly NamedAction[],
  keys: readonly PlannedKey[],
  manifest: Manifest,
  disk: Disk,
): ReadonlyMap<string, MergedFile> {
  const types = new Map(keys.map(({ key, type }) => [key, type]));
  const query = [plan.login, ...(plan.apiKeys ?? [])].some(isQueryKey);
  const toDo = new Map<string, string[]>();
  for (const { action, what, hint } of plan.notInferred) append(toDo, action, `${what}: ${hint}`);
  const byFile = new Map<string, WrittenCode[]>();
  for (const one of named) {
    const credentials = query && one.action.operation.security.length > 0 ? [text("...credentials")] : [];
    const parts = { typeOf: (key: string) => types.get(key) ?? "unknown", toDo: toDo.get(one.action.name) ?? [], credentials };
    append(byFile, one.file, { named: one, code: actionCode(one, parts), uses: usesOf(one, parts) });
  }
  return new Map([...byFile].map(([file, actions]) => [file, mergeActions({ file, actions, existing: disk.read(file), manifest, force })]));
}

function append<T>(lists: Map<string, T[]>, name: string, one: T): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [one]);
  else list.push(one);
}

/**
 * Returns all actions that the folder contains after writing: the actions of the current plan, and older actions in files that are not written again.
 */
function writtenActions(before: Manifest, merged: ReadonlyMap<string, MergedFile>): Readonly<Record<string, WrittenAction>> {
  const old = Object.entries(before.actions).filter(([, { file }]) => {
    const now = merged.get(file);
    return now === undefined || now.hash === before.files[file];
  });
  return Object.fromEntries([...old, ...[...merged.values()].flatMap(({ written }) => [...written])]);
}

function withoutDoubles(keys: readonly PlannedKey[]): readonly PlannedKey[] {
  return [...new Map([...keys].reverse().map((one) => [one.key, one])).values()].reverse();
}

function freeExploration(title: string, disk: Disk): string {
  const start = slug(title, "api");
  for (let number = 1; ; number++) {
    const path = `${start}${number === 1 ? "" : `-${number}`}.explore.ts`;
    if (disk.read(path) === undefined) return path;
  }
}

function placeOf({ file, identifier }: NamedAction, merged: ReadonlyMap<string, MergedFile>): string {
  const lines = (merged.get(file)?.text ?? "").split("\n");
  const line = lines.findIndex((one) => one.startsWith(`export const ${identifier}:`));
  return line === -1 ? file : `${file}:${line + 1}`;
}

/**
 * Throws an error if the folder was generated from another description. Without this error, all actions of the earlier description would be treated
 * as removed.
 */
function refuseAnother(named: readonly NamedAction[], { actions }: Manifest, shown: string, force: boolean): void {
  if (force || Object.keys(actions).length === 0 || named.some(({ id }) => Object.hasOwn(actions, id))) return;
  throw new SeqqaError(
    "SCAFFOLD_OTHER",
    `seqqa wrote nothing, because ${shown} was generated from another description: the two descriptions have no operation in common.`,
    {
      exitStatus: 2,
      hint: "Choose another folder with --out <folder>, or overwrite this folder with --force.",
    },
  );
}

function wouldOverwrite(paths: readonly string[]): SeqqaError {
  return new SeqqaError(
    "SCAFFOLD_WOULD_OVERWRITE",
    `seqqa wrote nothing, because ${paths.join(" and ")} already ${paths.length === 1 ? "exists and was" : "exist and were"} not written by seqqa scaffold.`,
    { exitStatus: 2, hint: "Choose another folder with --out <folder>, or overwrite the files with --force." },
  );
}

/** Returns all context keys that the actions of a plan use. Keys in the plan's own list come first. */
function keysOf({ keys, actions }: ScaffoldPlan): readonly PlannedKey[] {
  const listed = new Set(keys.map(({ key }) => key));
  const more = new Set(actions.flatMap(usedIn).filter((key) => !listed.has(key)));
  return [...keys, ...[...more].map((key): PlannedKey => ({ key, type: "unknown" }))];
}

function usedIn({ needs, frees, keeps = [], produces, parameters, body }: PlannedAction): readonly string[] {
  const values = [...parameters.map(({ value }) => value), ...(body === undefined ? [] : [body.value])];
  const sent = produces.flatMap((production) => (production.from === "sent" ? [production.value] : []));
  return [...needs, ...frees, ...keeps.map(({ to }) => to), ...produces.map(({ key }) => key), ...[...values, ...sent].flatMap(keysIn)];
}

function keysIn(value: PlannedValue): readonly string[] {
  if (value.kind === "context") return value.first === undefined ? [value.key] : [value.key, value.first];
  if (value.kind === "list") return value.items.flatMap(keysIn);
  return value.kind === "object" ? value.entries.flatMap(([, of]) => keysIn(of)) : [];
}
