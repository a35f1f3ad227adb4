import { all } from "./make.ts";

/** Opens all collapsed elements before the page is printed, and closes them again afterwards. */
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
