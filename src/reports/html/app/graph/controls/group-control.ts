import { button, make } from "../../make.ts";
import { NONE, type StateField } from "../model/state-fields.ts";

/** The largest number of fields that the reader can choose from. */
const MOST = 80;

export class GroupControl {
  readonly element: HTMLDetailsElement;
  readonly #boxes: readonly { readonly field: StateField; readonly box: HTMLInputElement }[];
  readonly #summary = make("summary", {});
  readonly #changed: (fields: readonly StateField[]) => void;

  /** @param chosen the fields that are selected when the control is created */
  constructor(fields: readonly StateField[], chosen: readonly StateField[], changed: (fields: readonly StateField[]) => void) {
    this.#changed = changed;
    this.#boxes = fields.slice(0, MOST).map((field) => {
      const box = make("input", { type: "checkbox", checked: chosen.includes(field) });
      box.addEventListener("change", () => this.#tell());
      return { field, box };
    });
    const labels = this.#boxes.map(({ field, box }) =>
      make(
        "label",
        {
          class: "check",
          title: field.values
            .filter((value) => value !== NONE)
            .slice(0, 8)
            .join(", "),
        },
        box,
        ` ${field.name} `,
        make("span", { class: "quiet" }, String(field.values.length)),
      ),
    );
    const left = fields.length - this.#boxes.length;
    this.element = make(
      "details",
      { class: "filters" },
      this.#summary,
      make(
        "p",
        {},
        button("Each state by itself", () => this.set([])),
        make(
          "span",
          { class: "quiet" },
          ` States with equal values in the chosen fields form one group. The number after a field counts its values.${left > 0 ? ` ${left} fields with more values are not listed.` : ""}`,
        ),
      ),
      make("div", { class: "boxes" }, ...labels),
    );
    this.#head();
  }

  set(fields: readonly StateField[]): void {
    for (const { field, box } of this.#boxes) box.checked = fields.includes(field);
    this.#tell();
  }

  #tell(): void {
    this.#head();
    this.#changed(this.#chosen);
  }

  get #chosen(): readonly StateField[] {
    return this.#boxes.flatMap(({ field, box }) => (box.checked ? [field] : []));
  }

  #head(): void {
    const names = this.#chosen.map(({ name }) => name);
    this.#summary.textContent = names.length === 0 ? "Group states by fields" : `Grouped by ${names.join(", ")}`;
  }
}
