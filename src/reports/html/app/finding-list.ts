import { button, make } from "./make.ts";

const ORDERS: readonly (readonly [string, string, (a: Item, b: Item) => number])[] = [
  ["severity", "severity", (a, b) => a.rank - b.rank || a.index - b.index],
  ["found", "order of the run", (a, b) => a.index - b.index],
  ["name", "rule", (a, b) => compare(a.name, b.name) || a.index - b.index],
  ["action", "last action", (a, b) => compare(a.action, b.action) || a.index - b.index],
  ["steps", "length of path", (a, b) => a.steps - b.steps || a.index - b.index],
];
const SEVERITIES = ["critical", "high", "medium", "low"];
const KINDS: Readonly<Record<string, string>> = { rule: "broken rules", race: "races", fault: "faults" };
const STATES: Readonly<Record<string, string>> = {
  new: "new since the previous run",
  still: "still there",
  known: "known",
  confirmed: "confirmed",
  flaky: "flaky",
  "not confirmed": "not confirmed",
};
const FEWEST = 2;
/** Milliseconds without further typing before the search begins. */
const WAIT = 150;

interface Item {
  readonly element: HTMLElement;
  readonly index: number;
  readonly rank: number;
  readonly name: string;
  readonly action: string;
  readonly steps: number;
  readonly severity: string;
  readonly kind: string;
  readonly states: readonly string[];
  /** The text of the finding in lower case. `undefined` until the first search. */
  text: string | undefined;
}

export interface FindingList {
  /** Makes a finding visible by removing all filters. */
  reveal(finding: Element): void;
}

let lists = 0;

/** Adds search, filters and sorting to a section with findings. @returns `undefined` if the section has too few findings for these controls */
export function startFindingList(section: HTMLElement, findings: readonly HTMLElement[]): FindingList | undefined {
  const first = findings[0];
  if (findings.length < FEWEST || first === undefined) return undefined;
  const items = findings.map(itemOf);
  const id = `findings-${lists++}`;
  const field = make("input", { type: "search", id, autocomplete: "off", spellcheck: "false", placeholder: "rule, action, body, state" });
  const said = make("p", { role: "status", class: "quiet" });
  const order = choice(
    "Sort by",
    ORDERS.map(([value, name]) => [value, name]),
  );
  const severity = filter(
    "Severity",
    SEVERITIES.map((one) => [one, one]),
    new Set(items.map((one) => one.severity)),
  );
  const kind = filter("Kind", Object.entries(KINDS), new Set(items.map((one) => one.kind)));
  const state = filter("Status", Object.entries(STATES), new Set(items.flatMap((one) => one.states)));
  const end = make("span", { hidden: true });
  first.before(end);
  const selects = [severity, kind, state];
  const apply = (): void => {
    const wanted = field.value.trim().toLowerCase();
    const isShown = (one: Item): boolean =>
      is(severity, one.severity) &&
      is(kind, one.kind) &&
      (state.select.value === "" || one.states.includes(state.select.value)) &&
      (wanted === "" || (one.text ??= (one.element.textContent ?? "").toLowerCase()).includes(wanted));
    const compareBy = ORDERS.find(([value]) => value === order.select.value)![2];
    let shown = 0;
    let last: Element = end;
    for (const one of [...items].sort(compareBy)) {
      const isVisible = isShown(one);
      one.element.classList.toggle("filtered", !isVisible);
      if (isVisible) shown++;
      // Move only elements that are in the wrong position, because a moved element loses the keyboard focus.
      if (last.nextElementSibling !== one.element) last.after(one.element);
      last = one.element;
    }
    said.textContent = shown === items.length ? "" : `${shown} of ${items.length} findings.`;
    clear.hidden = shown === items.length && wanted === "";
  };
  const clear = button("Show all", () => {
    reset();
    field.focus();
  });
  const reset = (): void => {
    field.value = "";
    for (const { select } of selects) select.value = "";
    apply();
  };
  let timer = 0;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(apply, WAIT);
  });
  for (const { select } of [order, ...selects]) select.addEventListener("change", apply);
  const labels = [order, ...selects].flatMap(({ label, options }) => (options > 1 ? [label] : []));
  end.before(
    make(
      "div",
      { class: "list-controls controls", role: "group", "aria-label": "Sort and filter findings" },
      make("label", { for: id }, "Search findings "),
      field,
      ...labels,
      clear,
      said,
    ),
  );
  apply();
  return {
    reveal(finding) {
      if (section.contains(finding) && finding.classList.contains("filtered")) reset();
    },
  };
}

function itemOf(element: HTMLElement, index: number): Item {
  const { severity = "", kind = "", name = "", action = "", steps = "0", status = "" } = element.dataset;
  const rank = SEVERITIES.indexOf(severity);
  return {
    element,
    index,
    rank: rank < 0 ? SEVERITIES.length : rank,
    name,
    action,
    steps: Number(steps),
    severity,
    kind,
    states: status.split(","),
    text: undefined,
  };
}

interface Choice {
  readonly label: HTMLElement;
  readonly select: HTMLSelectElement;
  /** The number of options of a filter. A filter with fewer than two options is not shown. */
  readonly options: number;
}

function choice(title: string, options: readonly (readonly [string, string])[]): Choice {
  const select = make("select", {}, ...options.map(([value, name]) => make("option", { value }, name)));
  return { select, label: make("label", {}, `${title} `, select), options: options.length };
}

function filter(title: string, options: readonly (readonly [string, string])[], occurring: ReadonlySet<string>): Choice {
  const some = options.filter(([value]) => occurring.has(value));
  return { ...choice(title, [["", "all"], ...some]), options: some.length };
}

const is = ({ select }: Choice, value: string): boolean => select.value === "" || select.value === value;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
