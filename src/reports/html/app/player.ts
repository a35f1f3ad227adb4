import { startCopying } from "./copy.ts";
import { all, button, make } from "./make.ts";

/** The data of the event `step-shown`, which is sent when another step of a finding is shown. */
export interface StepShown {
  /** The id of the HTML element of the finding. */
  readonly finding: string;
  /** The index of the step, from 0; -1 is `setup`. */
  readonly step: number;
}

let players = 0;

/** Shows one step of a list at a time. The reader chooses the step by buttons, by its name, or by the arrow keys. */
export function startPlayer(player: HTMLElement): void {
  const items = all("ol.path > li", player);
  if (items.length === 0) return;
  const prefix = `player-${players++}`;
  // If `setup` is in the list, it is at index 0, and the steps begin at index 1.
  const before = items[0]!.classList.contains("setup") ? 1 : 0;
  const steps = items.length - before;
  const finding = player.closest(".finding")?.id ?? "";
  let current = 0;
  const where = make("span", { class: "where", role: "status" });
  const previous = button("Previous step", () => show(current - 1));
  const next = button("Next step", () => show(current + 1));
  const names = items.map((item, index) => {
    const head = item.querySelector(".head")!;
    const name = button("", () => show(index), { class: "head", "aria-controls": `${prefix}-${index}` });
    name.append(...head.childNodes);
    head.replaceWith(name);
    const body = item.querySelector(".body");
    if (body !== null) body.id = `${prefix}-${index}`;
    else name.removeAttribute("aria-controls");
    return name;
  });
  const show = (step: number, told = true): void => {
    current = Math.max(0, Math.min(items.length - 1, step));
    fill(items[current]!);
    items.forEach((item, index) => item.classList.toggle("current", index === current));
    names.forEach((name, index) => {
      name.setAttribute("aria-expanded", String(index === current));
      if (index === current) name.setAttribute("aria-current", "step");
      else name.removeAttribute("aria-current");
    });
    // Use `aria-disabled`, because a `disabled` button would lose the keyboard focus at the first and the last step.
    previous.setAttribute("aria-disabled", String(current === 0));
    next.setAttribute("aria-disabled", String(current === items.length - 1));
    const action = names[current]?.querySelector(".action")?.textContent ?? "";
    const fails = items[current]!.classList.contains("failing") ? ", fails here" : "";
    where.textContent = current < before ? "Setup, before the first step" : `Step ${current + 1 - before} of ${steps}: ${action}${fails}`;
    if (told)
      player.dispatchEvent(new CustomEvent<StepShown>("step-shown", { bubbles: true, detail: { finding, step: current - before } }));
  };
  player.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (event.altKey || event.ctrlKey || event.metaKey || !(target instanceof HTMLElement)) return;
    // In a text block, the arrow keys scroll the block, so do not change the step.
    if (target.matches("pre, .diff")) return;
    const to = { ArrowRight: current + 1, ArrowLeft: current - 1, Home: 0, End: items.length - 1 }[key];
    if (to === undefined) return;
    event.preventDefault();
    show(to);
    if (target.matches("button.head")) names[current]?.focus();
  });
  player.prepend(make("div", { class: "controls", role: "group", "aria-label": "Steps of the path" }, previous, next, where));
  player.classList.add("playing");
  const failing = items.findIndex((item) => item.classList.contains("failing"));
  show(failing < 0 ? before : failing, false);
}

/** Fills a step with a copy of another element of the page, when the step is shown for the first time. */
function fill(item: HTMLElement): void {
  const body = item.querySelector<HTMLElement>(".body[data-content]");
  const content = document.getElementById(body?.dataset["content"] ?? "")?.querySelector(".content");
  if (body === null || content === null || content === undefined) return;
  delete body.dataset["content"];
  const copy = content.cloneNode(true) as HTMLElement;
  // Remove the copied controls and create new controls, because `cloneNode` copies no event listeners.
  for (const one of all(".controls", copy)) one.remove();
  startCopying(copy);
  body.replaceChildren(copy);
}
