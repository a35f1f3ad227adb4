import { all, button, make } from "./make.ts";

/** Adds copy buttons to text blocks with a heading, to shell scripts, and to elements with a `data-copy` attribute. */
export function startCopying(within: ParentNode = document): void {
  for (const bar of all(".titled", within)) {
    const title = bar.textContent ?? "";
    bar.append(copyButton("Copy", () => textAfter(bar), `Copy: ${title}`));
  }
  for (const block of all(".copyable", within))
    block.prepend(
      make(
        "p",
        {},
        copyButton("Copy", () => block.querySelector("pre")?.textContent ?? ""),
      ),
    );
  for (const place of all(".copy", within))
    place.replaceChildren(copyButton(place.dataset["label"] ?? "Copy", () => place.dataset["copy"] ?? ""));
}

/** Returns a button that copies a text to the clipboard. @param name the name for screen readers, if the label is not clear enough */
export function copyButton(label: string, textOf: () => string, name?: string): HTMLElement {
  const said = make("span", { role: "status", class: "quiet" });
  const copy = async (): Promise<void> => {
    said.textContent = (await copied(textOf())) ? " Copied." : " The browser does not allow copying here: select the text and copy it.";
    setTimeout(() => (said.textContent = ""), 4_000);
  };
  return make(
    "span",
    { class: "controls" },
    button(label, () => void copy(), { class: "small", ...(name === undefined ? {} : { "aria-label": name }) }),
    said,
  );
}

/** Returns the text of the blocks between a heading and the next heading, for the copy button. */
function textAfter(bar: Element): string {
  const texts: string[] = [];
  for (let at = bar.nextElementSibling; at !== null && !at.classList.contains("titled"); at = at.nextElementSibling) {
    if (at.matches("pre")) texts.push(at.textContent ?? "");
    if (at.matches(".diff")) texts.push([...at.children].map((line) => line.textContent ?? "").join("\n"));
  }
  return texts.join("\n\n");
}

/** Copies a text to the clipboard. Pages from files have no clipboard API in some browsers, so the deprecated `execCommand` is the fallback. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = make("textarea", { "aria-hidden": "true", class: "offscreen" });
    field.value = text;
    document.body.append(field);
    field.select();
    // oxlint-disable-next-line typescript/no-deprecated -- there is no other way without a clipboard
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
