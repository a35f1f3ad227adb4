import { all, button, make } from "./make.ts";
import type { Parts } from "./parts.ts";
import { startPlayer } from "./player.ts";

/** Makes findings open, step, link and copy. */
export function startFindings(parts: Parts): void {
  for (const part of all(".findings")) {
    const findings = all(".finding > details", part) as readonly HTMLDetailsElement[];
    findings.forEach((details, index) => (details.open = findings.length === 1 || index === 0));
  }
  all(".player").forEach(startPlayer);
  all(".copyable").forEach(addCopy);
  const followHash = (): void => {
    const id = decode(location.hash.slice(1));
    const finding = id.startsWith("finding-") ? document.getElementById(id) : null;
    if (finding === null) return;
    parts.reveal(finding);
    const details = finding.querySelector("details");
    if (details !== null) details.open = true;
    finding.scrollIntoView({ block: "start" });
    finding.querySelector("summary")?.focus({ preventScroll: true });
  };
  addEventListener("hashchange", followHash);
  // A click on a link to the present address changes no hash.
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest('a[href^="#finding-"]') !== null) setTimeout(followHash);
  });
  followHash();
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function addCopy(block: HTMLElement): void {
  const said = make("span", { role: "status", class: "quiet" });
  const copy = async (): Promise<void> => {
    const text = block.querySelector("pre")?.textContent ?? "";
    said.textContent = (await copied(text)) ? "Copied." : "Not allowed here: select the text and copy it.";
  };
  block.prepend(
    make(
      "p",
      {},
      button("Copy", () => void copy()),
      " ",
      said,
    ),
  );
}

/** Copies a text. Some browsers give files no clipboard; the deprecated command is left for those. */
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
