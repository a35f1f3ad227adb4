import type { UiLaneState } from "../../../../ui/messages.ts";
import { SHORT_ID } from "../../../../model/results/state-id.ts";
import { printable } from "../../../console/text/printable.ts";
import { copyButton } from "../copy.ts";
import { button, make, refocus } from "../make.ts";
import { Refused, type Connection } from "./connection.ts";
import { savePath, type ChosenPath } from "./saved-path.ts";
import { endOf, judgedView, linesView, stepView } from "./step-view.ts";

export interface LaneContext {
  readonly connection: Connection;
  /** Returns a button that shows a state in the graph; `undefined` if the page does not contain the state. */
  readonly stateButton: (exploration: number, name: string) => HTMLElement | undefined;
}

/** The part of the page where the user executes actions on a lane, one at a time. */
export class LanePanel {
  readonly element: HTMLElement;
  readonly #context: LaneContext;
  readonly #heading = make("h3", { tabindex: "-1" }, "Lane");
  readonly #said = make("p", { role: "status" });
  readonly #place = make("div", {});
  readonly #saved = make("div", { class: "saved" });
  readonly #steps = make("ol", { class: "steps", reversed: true });
  /** The last request to the server, while it is not answered. The answers of earlier requests are ignored. */
  #request: object | undefined;
  /** The element that had the focus when the lane was opened, and that gets the focus again when the lane is closed. */
  #opener: Element | null = null;
  #draws: ChosenPath["draws"];

  constructor(context: LaneContext) {
    this.#context = context;
    this.element = make(
      "section",
      { class: "lane", "aria-label": "Lane" },
      this.#heading,
      this.#said,
      this.#place,
      this.#saved,
      make(
        "p",
        { class: "controls" },
        button("Close the lane", () => void this.#close(), { class: "small" }),
      ),
      this.#steps,
    );
  }

  /** Opens a lane in the state at the end of a path. The server closes the previous lane, even if this lane is still being opened. */
  async open({ exploration, path, draws }: ChosenPath): Promise<void> {
    this.#draws = draws;
    const { activeElement } = document;
    if (!this.element.contains(activeElement)) this.#opener = activeElement;
    this.#steps.replaceChildren();
    this.#saved.replaceChildren();
    this.#place.replaceChildren();
    this.#heading.focus({ preventScroll: true });
    this.element.scrollIntoView({ block: "start" });
    await this.#ask(`Opening a lane, and executing ${path.length} action${path.length === 1 ? "" : "s"}.`, "/api/lane", {
      exploration,
      path,
      draws,
    });
  }

  async #step(action: string): Promise<void> {
    if (this.#request !== undefined) return;
    await this.#ask(`Executing ${printable(action)}.`, "/api/lane/step", { action });
    const again = [...this.#place.querySelectorAll<HTMLElement>("button[data-action]")].find((one) => one.dataset["action"] === action);
    again?.focus({ preventScroll: true });
  }

  async #close(): Promise<void> {
    this.#request = undefined;
    const section = this.element.parentElement?.closest("section") ?? null;
    this.element.remove();
    refocus(this.#opener, section);
    await this.#context.connection.post("/api/lane/close", {}).catch(() => undefined);
  }

  async #ask(saying: string, path: string, body: object): Promise<void> {
    const request = (this.#request = {});
    this.element.setAttribute("aria-busy", "true");
    this.#said.className = "quiet";
    this.#said.textContent = saying;
    try {
      const state = await this.#context.connection.post<UiLaneState>(path, body);
      if (this.#request === request) this.#show(state);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (this.#request !== request) return;
      this.#said.className = "warn";
      this.#said.textContent = error.message;
    } finally {
      if (this.#request === request || this.#request === undefined) {
        this.#request = undefined;
        this.element.removeAttribute("aria-busy");
      }
    }
  }

  #show(state: UiLaneState): void {
    const { step, root, path } = state;
    if (step !== undefined) this.#steps.prepend(stepView(step.kind === "executed" ? path.length : path.length + 1, step));
    this.#said.className = "quiet";
    this.#said.textContent =
      step === undefined ? "The lane is in the root state." : endOf(step) || `${printable(step.action)}: ${outcome(step)}.`;
    this.#place.replaceChildren(
      ...this.#usesPart(state),
      ...(root === undefined ? [] : judgedView(root)),
      ...this.#placePart(state),
      this.#actionsPart(state),
    );
  }

  #usesPart({ uses }: UiLaneState): readonly HTMLElement[] {
    const items = uses.map((one) =>
      make(
        "li",
        {},
        make("code", {}, printable(one)),
        " ",
        copyButton("Copy", () => one, `Copy ${printable(one)}`),
      ),
    );
    return [make("ul", { class: "uses" }, ...items)];
  }

  #placePart({ exploration, path, place }: UiLaneState): readonly HTMLElement[] {
    const name = place.id.slice(0, SHORT_ID);
    const inGraph = this.#context.stateButton(exploration, name);
    const chosen = { exploration, path, draws: this.#draws };
    const save = (as: "test" | "journey") => (): void => void savePath(this.#context.connection, chosen, as, this.#saved);
    return [
      make(
        "p",
        {},
        "State ",
        make("code", { class: "place" }, name),
        path.length === 0 ? ", the root state. " : `, after ${path.map(printable).join(" -> ")}. `,
        ...(inGraph === undefined ? [make("span", { class: "quiet" }, "This state is not in the graph.")] : [inGraph]),
      ),
      linesView(place.changes, "The state is equal to the root state."),
      make(
        "p",
        { class: "controls" },
        button("Save this path as a test", save("test"), { class: "small" }),
        " ",
        button("Save this path as a journey", save("journey"), { class: "small" }),
      ),
    ];
  }

  /** Returns buttons for all actions. The actions that apply in the current state come first. The user can execute the other actions, too. */
  #actionsPart({ actions, place: { applicable } }: UiLaneState): HTMLElement {
    const others = actions.filter((name) => !applicable.includes(name));
    const act = (name: string, attributes: Readonly<Record<string, string>>): HTMLElement =>
      button(printable(name), () => void this.#step(name), { "data-action": name, ...attributes });
    return make(
      "div",
      { class: "actions", role: "group", "aria-label": "Actions" },
      make("h4", {}, `${applicable.length} of ${actions.length} actions apply here`),
      ...applicable.map((name) => act(name, {})),
      ...others.map((name) =>
        act(name, {
          class: "dim",
          title: "This action does not apply in this state",
          "aria-label": `${printable(name)}, does not apply here`,
        }),
      ),
    );
  }
}

function outcome({ status, changes, broken, held }: NonNullable<UiLaneState["step"]>): string {
  const parts = [
    ...(status === null ? [] : [String(status)]),
    changes.length === 0 ? "the state did not change" : "the state changed",
    ...(broken.length > 0
      ? [`broken: ${broken.map(({ invariant }) => printable(invariant)).join(", ")}`]
      : held.length > 0
        ? ["all rules hold"]
        : []),
  ];
  return parts.join(", ");
}
