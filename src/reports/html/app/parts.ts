import { all, make } from "./make.ts";

/** The explorations and journeys on the page, of which one is shown at a time. */
export interface Parts {
  /** Shows the exploration or journey that contains an element. */
  reveal(element: Element): void;
  onShown(listener: (part: HTMLElement) => void): void;
}

export function startParts(): Parts {
  const parts = all("main > .part");
  const listeners: ((part: HTMLElement) => void)[] = [];
  let shown = parts[0];
  const select = make("select", { id: "part" });
  const show = (part: HTMLElement): void => {
    shown = part;
    for (const one of parts) one.classList.toggle("away", one !== part);
    select.value = part.id;
    for (const listener of listeners) listener(part);
  };
  if (parts.length > 1) {
    for (const part of parts) {
      const found = all(".finding", part).length;
      const count = found === 0 ? "" : ` (${found} finding${found === 1 ? "" : "s"})`;
      select.append(make("option", { value: part.id }, `${part.dataset["title"] ?? ""}${count}`));
    }
    select.addEventListener("change", () => {
      const part = parts.find(({ id }) => id === select.value);
      if (part !== undefined) show(part);
    });
    parts[0]?.before(make("p", { class: "choose" }, make("label", { for: "part" }, "Shown: "), select));
  }
  const first = parts.find((part) => part.querySelector(".finding") !== null) ?? shown;
  if (first !== undefined) show(first);
  return {
    reveal(element) {
      const part = element.closest<HTMLElement>(".part");
      if (part !== null && part !== shown) show(part);
    },
    onShown(listener) {
      listeners.push(listener);
      if (shown !== undefined) listener(shown);
    },
  };
}
