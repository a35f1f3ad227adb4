import type { Race, Violation } from "../../model/results/result.ts";
import { raceName } from "../console/findings/race-text.ts";

interface TestedModule {
  /** The name of the export that the test imports from the exploration file. */
  readonly exportName: "agent" | "graph";
  /** The path of the exploration file, relative to the test. */
  readonly module: string;
  readonly config: string | undefined;
  readonly seed: number;
  /** `true`: each step waits for the next second, because the target compares times in whole seconds. */
  readonly nextSecond?: boolean | undefined;
  readonly draws: readonly (readonly string[])[] | undefined;
}

export interface VitestInput extends TestedModule {
  readonly violation: Pick<Violation, "id" | "invariant" | "severity" | "message" | "reproductionPath" | "confirmed" | "steps">;
}

export interface RaceVitestInput extends TestedModule {
  readonly race: Omit<Race, "toString">;
}

/**
 * Returns the source text of a Vitest test for a finding. The test fails as long as the rule is broken at the end of the path. The test also fails if
 * the replay cannot check the rule: a step was not executed, an earlier step has another status than in the run, the rule threw an error, or the
 * exploration no longer has the rule.
 */
export function vitestText({ violation, ...module }: VitestInput): string {
  const { id, invariant, severity, message, reproductionPath: path, steps } = violation;
  const before = steps.slice(0, Math.max(path.length - 1, 0)).map(({ status }) => status);
  const ofRule = (list: string, key: string): string =>
    `expect(replayed.${list}.filter(({ ${key} }) => ${key} === ${literal(invariant)})).toEqual([]);`;
  return testText(`[${severity.toUpperCase()}] ${invariant}: ${message}`, `finding ${id}`, module, {
    title: `${invariant} holds after ${path.join(", ") || "nothing"}`,
    path,
    options: [`rule: ${literal(invariant)}`],
    expects: [
      "expect(replayed).toMatchObject({ completed: true });",
      ...(before.length === 0
        ? []
        : [`expect(replayed.steps.slice(0, ${before.length}).map(({ status }) => status)).toEqual(${literal(before)});`]),
      ofRule("errors", "source"),
      ofRule("violations", "invariant"),
    ],
  });
}

export interface PathVitestInput extends TestedModule {
  readonly path: readonly string[];
}

/** Returns the source text of a Vitest test for a path. The test passes if all steps can be executed and no rule is broken. */
export function pathVitestText({ path, ...module }: PathVitestInput): string {
  return testText("a path that was saved by hand", `${path.length} actions`, module, {
    title: `${path.join(", ") || "the root state"} breaks no rule`,
    path,
    options: [],
    expects: ["expect(replayed).toMatchObject({ completed: true, violations: [], errors: [] });"],
  });
}

export interface PathJourneyInput {
  readonly exportName: "agent" | "graph";
  /** The path of the exploration file, relative to the journey. */
  readonly module: string;
  readonly name: string;
  /** The actions of the path, each with the HTTP status of its answer; 0 if the status is unknown. */
  readonly steps: readonly { readonly action: string; readonly status: number }[];
}

/**
 * Returns the source text of a journey for a path. The steps of the journey call the actions of the exploration. A step with a status of 400 or above
 * expects the same status again.
 */
export function pathJourneyText({ exportName, module, name, steps }: PathJourneyInput): string {
  return `${[
    "// A path that was saved by hand. Keep it in the folder journeys next to seqqa.yaml.",
    'import { Journey, Step } from "seqqa";',
    `import { ${exportName} } from ${literal(module)};`,
    "",
    "const step = (name: string, expectFailure?: number[]): Step => {",
    `  const action = ${exportName}.actions.find((one) => one.name === name)!;`,
    "  return new Step({",
    "    name,",
    "    action: (api, context) => action.run(api as never, context as never),",
    "    ...(expectFailure && { expectFailure }),",
    "  });",
    "};",
    "",
    "export const journey = new Journey({",
    `  name: ${literal(name)},`,
    "  steps: [",
    ...steps.map(({ action, status }) => `    step(${literal(action)}${status >= 400 ? `, [${status}]` : ""}),`),
    "  ],",
    "});",
  ].join("\n")}\n`;
}

/**
 * Returns the source text of a Vitest test for a race. The test fails as long as the simultaneous calls have a result that no order of the calls
 * gives. The test also fails if the calls did not overlap.
 */
export function raceVitestText({ race, ...module }: RaceVitestInput): string {
  const { id, severity, message, prefix, first, second, copies, delivery, schedule, verdict, invariant, trials } = race;
  const actions = Array.from({ length: copies }, (_, side) => (side === 1 ? second : first));
  const calls = { actions, trials: Math.max(trials, 1), delivery, schedule, verdict, invariant };
  return testText(`[${severity.toUpperCase()}] ${raceName(race)}: ${message}`, `race ${id}`, module, {
    title: `${raceName(race)} at the same time after ${prefix.join(", ") || "nothing"} give the result of one of their orders`,
    path: prefix,
    options: [`race: ${literal(calls)}`],
    expects: ["expect(replayed.race).toMatchObject({ hits: 0, inconclusive: undefined });"],
  });
}

interface TestParts {
  readonly title: string;
  readonly path: readonly string[];
  readonly options: readonly string[];
  /** The lines that judge `replayed`. */
  readonly expects: readonly string[];
}

function testText(
  what: string,
  id: string,
  { exportName, module, config, seed, nextSecond, draws }: TestedModule,
  test: TestParts,
): string {
  const options = [
    ...(config === undefined ? [] : [`config: fileURLToPath(new URL(${literal(config)}, import.meta.url))`]),
    `seed: ${seed}`,
    ...(nextSecond === true ? ["nextSecond: true"] : []),
    ...(draws === undefined ? [] : [`draws: ${literal(draws)}`]),
    ...test.options,
  ];
  return `${[
    lineComment(what),
    lineComment(`${id}; keep this file in the folder in which seqqa was started, or change its paths`),
    ...(config === undefined ? [] : ['import { fileURLToPath } from "node:url";']),
    'import { expect, it } from "vitest";',
    `import { ${exportName} } from ${literal(module)};`,
    "",
    `it(${literal(test.title)}, { timeout: 120_000 }, async () => {`,
    `  const replayed = await ${exportName}.replay(${literal(test.path)}, {`,
    ...options.map((option) => `    ${option},`),
    "  });",
    ...test.expects.map((line) => `  ${line}`),
    "});",
  ].join("\n")}\n`;
}

/** Returns data as a literal in ASCII without line breaks, so that data from outside cannot become code. */
function literal(value: unknown): string {
  return JSON.stringify(value).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const lineComment = (text: string): string => `// ${text.replace(/[^\x20-\x7e\u00a1-\u1fff\u3000-\ud7ff]/g, "?")}`;
