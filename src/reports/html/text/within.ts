import { plural } from "../../console/text/numbers.ts";

/**
 * Returns the first pieces of HTML in a list that together fit into `bytes`. A last piece says how many pieces were left out.
 * @param one the singular of the word for a piece; its plural must end in s
 */
export function within(parts: readonly string[], bytes: number, one: string, tag: "p" | "li" = "p"): string {
  let left = bytes;
  const kept = parts.filter((part) => {
    const length = Buffer.byteLength(part);
    const fits = length <= left;
    left -= fits ? length : 0;
    return fits;
  });
  const without = parts.length - kept.length;
  if (without === 0) return kept.join("\n");
  return [
    ...kept,
    `<${tag} class="note">${plural(without, one)} left out to limit the size of this file; the run log has everything.</${tag}>`,
  ].join("\n");
}
