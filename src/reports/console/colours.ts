import pc from "picocolors";

export type Colours = ReturnType<typeof pc.createColors>;

/** Returns colours for an output: never with `NO_COLOR`, always with `FORCE_COLOR` (except for 0 and false), else on a terminal. */
export function coloursFor(output: { readonly isTTY?: boolean | undefined }, env: Readonly<Record<string, string | undefined>>): Colours {
  return pc.createColors(wantsColour(output, env));
}

function wantsColour(output: { readonly isTTY?: boolean | undefined }, env: Readonly<Record<string, string | undefined>>): boolean {
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return output.isTTY === true && env["TERM"] !== "dumb";
}
