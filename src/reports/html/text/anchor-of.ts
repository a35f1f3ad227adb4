import { printable } from "../../console/text/printable.ts";

/** Returns the id of the HTML element that shows a finding, for links to `#finding-<id>`. */
export const anchorOf = (id: string): string => `finding-${printable(id).replace(/[^\w-]/g, "-")}`;
