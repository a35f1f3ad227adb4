import pc from "picocolors";

export type Colours = ReturnType<typeof pc.createColors>;

/**
 * Returns the functions that colour text for an output. `NO_COLOR` switches colours off, and `FORCE_COLOR` (except 0 and false) switches them on.
 * Without these variables, only a terminal gets colours.
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
