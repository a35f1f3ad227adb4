import { dirname, join, relative, resolve, sep } from "node:path";
import type { Config } from "../../config/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import { pathJourneyText, pathVitestText, printable } from "../../reports/index.ts";
import { explorationPath } from "../arguments/exploration-path.ts";
import type { Feed, UiGoal, UiText } from "../../ui/index.ts";

interface PathTextContext {
  readonly config: Pick<Config, "folder" | "file"> & { readonly report: Pick<Config["report"], "outputDir"> };
  readonly feed: Pick<Feed, "exploration" | "run" | "folder">;
  readonly cwd: string;
}

/**
 * Returns the source code of a journey or a test that executes a path. Its imports are relative to the folder in which the file is saved.
 * @throws SeqqaError
 */
export function pathText(
  { config, feed, cwd }: PathTextContext,
  exploration: number,
  { path, draws, as }: UiGoal & { readonly as: "journey" | "test" },
): UiText {
  const known = feed.exploration(exploration);
  if (known === undefined)
    throw new SeqqaError("NO_EXPLORATION", "The run does not contain this exploration. Reload the page.", { exitStatus: 2 });
  const { ended, actions, graph } = known;
  if (ended === undefined && feed.run !== undefined)
    throw new SeqqaError("NO_EXPLORATION", "The exploration failed, so its paths cannot be saved.", {
      exitStatus: 2,
      hint: "Solve the problem that the page shows, and run the exploration again.",
    });
  if (ended === undefined)
    throw new SeqqaError("RUN_GOES_ON", "The exploration is still in progress. Save the path after it has ended.", { exitStatus: 2 });
  const folder = as === "journey" ? join(config.folder, "journeys") : cwd;
  const here = (file: string): string => {
    const way = relative(folder, file).split(sep).join("/");
    return way.startsWith("../") ? way : `./${way}`;
  };
  const exportName = ended.isGraph ? "graph" : "agent";
  const module = here(explorationPath(known.file, { folder: feed.folder, outputDir: config.report.outputDir, cwd }));
  const named = (kind: string): string => `${(path.at(-1) ?? "root").replace(/[^\w-]+/g, "-").slice(0, 60)}.${kind}.ts`;
  if (as === "journey") {
    refuseJourney(path, ended);
    const statuses = graph.statusesOf(path.map((name) => actions.indexOf(name)));
    const steps = path.map((action, at) => ({ action, status: statuses[at] ?? 0 }));
    const name = printable(path.join(", ")) || known.name;
    return { text: pathJourneyText({ exportName, module, name, steps }), file: named("journey") };
  }
  const file = config.file === undefined ? undefined : here(resolve(dirname(config.file), config.file));
  const text = pathVitestText({ exportName, module, config: file, seed: ended.seed, nextSecond: ended.nextSecond, draws, path });
  return { text, file: named("test") };
}

/**
 * Throws an error if a path cannot become a journey. A journey has only one client, cannot follow a state graph, and does not run the `setup` of the
 * exploration.
 * @throws SeqqaError
 */
function refuseJourney(
  path: readonly string[],
  { isGraph, ofRoles, hasSetup }: { readonly isGraph: boolean; readonly ofRoles: ReadonlySet<string>; readonly hasSetup: boolean },
): void {
  const acting = path.find((action) => ofRoles.has(action));
  const refuse = (why: string): never => {
    throw new SeqqaError("NO_JOURNEY", why, { exitStatus: 2, hint: "Save the path as a test." });
  };
  if (isGraph) refuse("A path of a state graph cannot be saved as a journey.");
  if (acting !== undefined) refuse(`The path cannot be saved as a journey: action ${acting} uses a role, but journeys have no roles.`);
  if (hasSetup)
    refuse(
      "The path cannot be saved as a journey, because setup or a login sends requests before the path. A journey does not send these requests.",
    );
}
