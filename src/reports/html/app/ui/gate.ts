import { button, make } from "../make.ts";

/** Disables buttons until an event, such as the end of the run. */
export class Gate {
  readonly #why: string;
  readonly #opened = new EventTarget();
  #isOpen = false;

  /** @param why A sentence for the user that says when the buttons can be used. */
  constructor(why: string) {
    this.#why = why;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    this.#opened.dispatchEvent(new Event("open"));
  }

  /** Returns buttons, together with the sentence that says why they are disabled. Disabled buttons can still get the keyboard focus. */
  buttons(...actions: readonly (readonly [label: string, action: () => void])[]): HTMLElement {
    const made = actions.map(([label, action]) => button(label, () => this.#isOpen && action(), { class: "small" }));
    const why = make("span", { class: "quiet" }, ` ${this.#why}`);
    const show = (): void => {
      why.hidden = this.#isOpen;
      for (const one of made) {
        if (this.#isOpen) one.removeAttribute("aria-disabled");
        else one.setAttribute("aria-disabled", "true");
      }
    };
    if (!this.#isOpen) this.#opened.addEventListener("open", show, { once: true });
    show();
    return make("p", { class: "controls gated" }, ...made.flatMap((one) => [one, " "]), why);
  }
}
