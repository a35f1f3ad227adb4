import pc from "picocolors";

export type Colours = ReturnType<typeof pc.createColors>;

/**
 * Returns colours for an output. `NO_COLOR` disables them, `FORCE_COLOR` enables them (except for 0 and false). Otherwise only a terminal has
 * colours.
 */
export function coloursFor(output: { readonly isTTY?: boolean | undefined }, env: Readonly<Record<string, string | undefined>>): Colours {
  return pc.createColors(wantsColour(output, env));
}

function wantsColour(output: { readonly isTTY?: boolean | undefined }, env: Readonly<Record<string, string | undefined>>): boolean {
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return output.isTTY === true && env["TERM"] !== "dumb";
}
