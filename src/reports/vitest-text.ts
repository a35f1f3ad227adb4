import type { Violation } from "../model/result.ts";

export interface VitestInput {
  readonly violation: Pick<Violation, "id" | "invariant" | "severity" | "message" | "reproductionPath" | "confirmed">;
  /** What the module exports. */
  readonly exportName: "agent" | "graph";
  /** The exploration's file and the configuration, as the test imports and opens them: relative to it. */
  readonly module: string;
  readonly config: string | undefined;
  readonly seed: number;
  readonly draws: readonly (readonly string[])[] | undefined;
}

/** A finding as a test of vitest, in TypeScript: it fails while the rule is broken at the end of the path. */
export function vitestText({ violation, exportName, module, config, seed, draws }: VitestInput): string {
  const { id, invariant, severity, message, reproductionPath: path } = violation;
  const code = (value: unknown): string => literal(value);
  const options = [
    ...(config === undefined ? [] : [`config: fileURLToPath(new URL(${code(config)}, import.meta.url))`]),
    `seed: ${seed}`,
    ...(draws === undefined ? [] : [`draws: ${code(draws)}`]),
  ];
  return `${[
    lineComment(`[${severity.toUpperCase()}] ${invariant}: ${message}`),
    lineComment(`finding ${id}; to be kept in the folder that seqqa replay was run in, or with the paths changed`),
    ...(config === undefined ? [] : ['import { fileURLToPath } from "node:url";']),
    'import { expect, it } from "vitest";',
    `import { ${exportName} } from ${code(module)};`,
    "",
    `it(${code(`${invariant} holds after ${path.join(", ") || "nothing"}`)}, { timeout: 120_000 }, async () => {`,
    `  const replayed = await ${exportName}.replay(${code(path)}, {`,
    ...options.map((option) => `    ${option},`),
    "  });",
    `  expect(replayed.violations.filter(({ invariant }) => invariant === ${code(invariant)})).toEqual([]);`,
    "});",
  ].join("\n")}\n`;
}

/** Data as a literal: nothing in it can end the line or the text that it stands in. */
function literal(value: unknown): string {
  return JSON.stringify(value).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const lineComment = (text: string): string => `// ${text.replace(/[^\x20-\x7e\u00a1-\u1fff\u3000-\ud7ff]/g, "?")}`;
