/**
 * The environment variables by which coding agents identify themselves, copied from `detectAgent` of std-env. std-env cannot be used here, because it
 * reads the environment of the process, but a command receives its environment as a parameter.
 */
const VARIABLES: readonly (readonly [agent: string, variables: readonly string[]])[] = [
  ["claude", ["CLAUDECODE", "CLAUDE_CODE"]],
  ["replit", ["REPL_ID"]],
  ["gemini", ["GEMINI_CLI"]],
  ["codex", ["CODEX_SANDBOX", "CODEX_THREAD_ID"]],
  ["opencode", ["OPENCODE"]],
  ["auggie", ["AUGMENT_AGENT"]],
  ["goose", ["GOOSE_PROVIDER"]],
  ["junie", ["JUNIE_DATA", "JUNIE_SHIM_PATH"]],
  ["copilot", ["COPILOT_AGENT", "COPILOT_CLI"]],
  ["cursor", ["CURSOR_AGENT"]],
];

/** All environment variables by which agents are detected. `AI_AGENT` contains the name of an agent. An empty variable counts as unset. */
export const AGENT_VARIABLES: readonly string[] = ["AI_AGENT", ...VARIABLES.flatMap(([, variables]) => variables)];

/** Returns the name of the coding agent that runs the command, or `undefined` if no agent is detected. */
export function detectAgent(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const isSet = (variable: string): boolean => (env[variable] ?? "") !== "";
  if (isSet("AI_AGENT")) return env["AI_AGENT"]!.toLowerCase();
  return VARIABLES.find(([, variables]) => variables.some(isSet))?.[0];
}
