import type { UiFinding } from "../../../../ui/messages.ts";
import { printable } from "../../../console/text/printable.ts";
import { anchorOf } from "../../text/anchor-of.ts";
import { startFindingList } from "../finding-list.ts";
import { startFinding } from "../findings.ts";
import { all, button, make, refocus } from "../make.ts";

export interface FindingActions {
  show(finding: UiFinding): void;
  laneButton(finding: UiFinding): HTMLElement;
}

/**
 * The section with the findings of an exploration. While the exploration runs, the section shows only names and paths. After the end, the section
 * shows the findings as in the report.
 */
export class FindingSection {
  readonly element = make("section", { class: "findings" });
  readonly #count = make("span", { class: "quiet" });
  readonly #list = make("div", {});
  readonly #actions: FindingActions;
  /** The list of findings while the exploration runs, with the ids of its findings. */
  #arrived: { readonly rows: HTMLElement; readonly ids: readonly string[] } | undefined;

  constructor(actions: FindingActions) {
    this.#actions = actions;
    this.element.append(make("h3", {}, "Findings ", this.#count), this.#list);
  }

  /** Replaces the findings. @param setup HTML from the server with the requests before the root state; `undefined` while the exploration runs */
  show(findings: readonly UiFinding[], setup: string | undefined): void {
    this.#count.textContent = String(findings.length);
    if (setup === undefined) return this.#showArrived(findings);
    const hadFocus = this.#list.contains(document.activeElement);
    this.#arrived = undefined;
    const articles = findings.map((finding) => this.#article(finding));
    this.#list.replaceChildren(...(findings.length === 0 ? [make("p", {}, "None.")] : articles), fromServer(setup));
    startFinding(this.#list);
    startFindingList(this.#list, articles);
    const first = this.#list.querySelector(".finding");
    for (const one of articles) one.querySelector("details")!.open = one === first;
    if (hadFocus) refocus(null, this.element);
  }

  /** Shows the findings of a running exploration. Existing rows are kept, so that a focused button in a row keeps the focus. */
  #showArrived(findings: readonly UiFinding[]): void {
    const ids = findings.map(({ id }) => id);
    const before = this.#arrived;
    if (before === undefined || before.ids.length === 0 || !before.ids.every((id, at) => id === ids[at])) {
      const rows = make("ul", { class: "arrived" }, ...findings.map((finding) => this.#row(finding)));
      this.#list.replaceChildren(findings.length === 0 ? make("p", { class: "quiet" }, "No findings so far.") : rows);
      this.#arrived = { rows, ids };
    } else {
      before.rows.append(...findings.slice(before.ids.length).map((finding) => this.#row(finding)));
      this.#arrived = { rows: before.rows, ids };
    }
  }

  #row(finding: UiFinding): HTMLElement {
    return make(
      "li",
      {},
      ...this.#title(finding),
      " ",
      make("span", { class: "quiet" }, printable(finding.path.join(" -> "))),
      " ",
      this.#showButton(finding),
    );
  }

  #article(finding: UiFinding): HTMLElement {
    const holder = fromServer(finding.html ?? "");
    const article =
      holder.querySelector<HTMLElement>(".finding") ??
      make("article", { class: "finding", id: anchorOf(finding.id) }, make("details", {}, make("summary", {}, ...this.#title(finding))));
    const bar = make("div", { class: "to-lane" }, this.#showButton(finding), this.#actions.laneButton(finding));
    const facts = article.querySelector(".facts");
    if (facts === null) article.querySelector("details")!.append(bar);
    else facts.after(bar);
    return article;
  }

  #title({ name, severity }: UiFinding): readonly (string | Node)[] {
    return [make("span", { class: "mark failed" }, printable(severity.toUpperCase())), " ", printable(name)];
  }

  #showButton(finding: UiFinding): HTMLElement {
    return button("Show in the graph", () => this.#actions.show(finding), { class: "small" });
  }
}

/**
 * Converts HTML from the server to elements. The server has escaped every text from outside. In addition, the page's content security policy allows
 * only the page's own script. Texts from other sources must not be converted by this function.
 */
export function fromServer(html: string): HTMLElement {
  const holder = make("div", {});
  holder.innerHTML = html;
  for (const one of all(".controls", holder)) one.remove();
  return holder;
}
