import { all } from "./make.ts";

/** On paper everything stands open: what is folded on the screen cannot be unfolded there. */
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
