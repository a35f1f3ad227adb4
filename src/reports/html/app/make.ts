type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Creates an HTML element. Strings become text and never markup, so answers of the target cannot create elements. */
export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...content: readonly (string | Node)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...content);
  return element;
}

export function button(label: string, action: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = make("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", action);
  return made;
}

/**
 * Moves the focus to an element. If the element is no longer on the page, the heading of `section` gets the focus, so that the page keeps a focused
 * element.
 */
export function refocus(element: Element | null, section: Element | null): void {
  if (element instanceof HTMLElement && element.isConnected && element !== document.body) return element.focus();
  const heading = section?.querySelector<HTMLElement>("h2, h3, h4");
  heading?.setAttribute("tabindex", "-1");
  heading?.focus();
}

export const all = <T extends Element = HTMLElement>(selector: string, within: ParentNode = document): readonly T[] => [
  ...within.querySelectorAll<T>(selector),
];
