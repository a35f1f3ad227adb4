import { all } from "./make.ts";

/** Opens everything for printing: on paper nobody can unfold it. */
export function startPrinting(): void {
  let opened: readonly HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    opened = all<HTMLDetailsElement>("details:not([open])").filter((one) => one.closest(".controls") === null);
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
    opened = [];
  });
}
