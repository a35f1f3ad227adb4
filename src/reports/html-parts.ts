import type { StepResult } from "../model/journey-result.ts";
import type { RecordedExchange, RunError, Divergence } from "../model/result.ts";
import { duration, grouped } from "./numbers.ts";
import { printable, printableLines } from "./printable.ts";
import type { ExplorationEntry, JourneyEntry } from "./document-types.ts";
import { completeness } from "./summary.ts";
import { element, escaped } from "./xml.ts";

/** Longer bodies are cut: the whole of them is in results.json. */
const BODY = 20_000;

/** Everything that came from elsewhere passes here: no markup, no control characters, no marks that turn the direction of writing. */
export const text = (value: string): string => escaped(printable(value));
const block = (value: string): string => `<pre>${escaped(printableLines(value))}</pre>`;
const tag = (name: string, content: string, kind?: string): string => element(name, { class: kind }, content || " ");

/** An exploration: its findings, what kept it from being sure, its numbers. */
export function explorationPart(entry: ExplorationEntry): string {
  const rows: readonly (readonly [string, string])[] = [
    ["File", entry.file],
    ["Explored", completeness(entry)],
    ["Steps", grouped(entry.steps)],
    ["Transitions", grouped(entry.transitions)],
    ["Deepest", grouped(entry.maxDepthReached)],
    ["Stopped", entry.stopReason.replaceAll("_", " ")],
    ["Time", duration(entry.durationMs)],
    ["Seed", String(entry.seed)],
    ["Digest", entry.digest],
  ];
  return [
    tag("h2", text(entry.name)),
    tag("table", rows.map(([name, value]) => `<tr><th scope="row">${name}</th><td>${text(value)}</td></tr>`).join("")),
    ...entry.violations.map(violationPart),
    ...entry.divergences.map(divergencePart),
    ...entry.errors.map(errorPart),
    ...entry.notes.map((note) => tag("p", `Note: ${text(note)}`, "quiet")),
    coverage(entry),
  ].join("\n");
}

function violationPart(one: ExplorationEntry["violations"][number]): string {
  const marks = [
    ...(one.confirmed ? [] : ["flaky"]),
    ...(one.known ? ["known"] : []),
    ...(one.count > 1 ? [`seen ${grouped(one.count)} times`] : []),
  ];
  const kind = one.known || one.severity === "low" ? "warn" : "bad";
  const path = one.reproductionPath.map((action, index) => {
    const step = one.steps[index];
    return `<li>${text(action)}${step === undefined ? "" : ` <span class="quiet">${step.status ?? "no answer"}</span>${step.requests.map(exchangePart).join("")}`}</li>`;
  });
  return element(
    "article",
    { id: `finding-${printable(one.id)}` },
    [
      `<h3><span class="${kind}">${one.severity.toUpperCase()}</span> ${text(one.invariant)}${marks.length === 0 ? "" : ` <span class="quiet">(${marks.join(", ")})</span>`}</h3>`,
      tag("p", text(one.message)),
      tag("p", `id ${text(one.id)}`, "quiet"),
      path.length === 0
        ? tag("p", one.state === null ? "No path leads to it." : "In the initial state.")
        : `<ol class="path">${path.join("")}</ol>`,
      ...(one.steps.length > 0 || one.request === undefined
        ? []
        : [exchangePart({ request: one.request, response: one.response, durationMs: 0 })]),
    ].join("\n"),
  );
}

/** A request and its answer, folded. */
function exchangePart({ request, response, error }: RecordedExchange): string {
  const line = `${request.method} ${request.url}`.trim();
  const answer = response === undefined ? (error ?? "no answer") : String(response.status);
  const message = (first: string, headers: Readonly<Record<string, string>>, body: string | undefined): string =>
    block(
      [first, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), ...(body ? ["", shortened(body)] : [])].join("\n"),
    );
  const sent = message(line, request.headers, request.body);
  const got = response === undefined ? "" : message(String(response.status), response.headers, response.body);
  return `<details><summary>${text(line)} <span class="quiet">${text(answer)}</span></summary>${sent}${got}</details>`;
}

function shortened(body: string): string {
  return body.length <= BODY ? body : `${body.slice(0, BODY)}\n... ${grouped(body.length - BODY)} more characters`;
}

function divergencePart({ kind, message, path, differences, hint }: Divergence): string {
  const lines = [path.join(" -> "), ...differences, ...(hint === undefined ? [] : [hint])].filter((line) => line !== "");
  return element(
    "article",
    {},
    `<h3><span class="warn">Divergence</span> ${text(kind.replaceAll("_", " "))}</h3>${tag("p", text(message))}${lines.length === 0 ? "" : block(lines.join("\n"))}`,
  );
}

function errorPart({ code, message, source, path, where, count }: RunError): string {
  const lines = [...(path.length === 0 ? [] : [path.join(" -> ")]), ...(where === undefined ? [] : [where])];
  const times = count > 1 ? ` <span class="quiet">${grouped(count)} times</span>` : "";
  return element(
    "article",
    {},
    `<h3><span class="warn">Error</span> ${text(source)} <span class="quiet">${text(code)}</span>${times}</h3>${block([message, ...lines].join("\n"))}`,
  );
}

function coverage({ coverage: { actions } }: ExplorationEntry): string {
  const rows = Object.entries(actions).map(([name, { applied, skipped, statuses }]) => {
    const answers = Object.entries(statuses).map(([status, times]) => `${status}: ${grouped(times)}`);
    return `<tr><td>${text(name)}</td><td>${applied === 0 ? '<span class="warn">never</span>' : grouped(applied)}</td><td>${grouped(skipped)}</td><td>${text(answers.join(", "))}</td></tr>`;
  });
  const head = '<tr><th scope="col">Action</th><th scope="col">Applied</th><th scope="col">Skipped</th><th scope="col">Answers</th></tr>';
  return `<details><summary>Actions (${rows.length})</summary><table>${head}${rows.join("")}</table></details>`;
}

const KINDS = { passed: "good", failed: "bad", timed_out: "bad", skipped: "quiet" } as const;

/** A journey, step by step. */
export function journeyPart({ name, file, status, steps, durationMs, interrupted, notes, errors, divergences }: JourneyEntry): string {
  const said = interrupted ? '<span class="warn">interrupted</span>' : tag("span", status.replace("_", " "), KINDS[status]);
  return [
    tag("h2", text(name)),
    tag("p", `${said} in ${duration(durationMs)} <span class="quiet">${text(file)}</span>`),
    `<ol>${steps.map(stepPart).join("\n")}</ol>`,
    ...errors.map(errorPart),
    ...divergences.map(divergencePart),
    ...notes.map((note) => tag("p", `Note: ${text(note)}`, "quiet")),
  ].join("\n");
}

function stepPart(step: StepResult): string {
  const { set, deleted } = step.context;
  const data = (word: string, value: unknown): string =>
    `<details><summary>${word}</summary>${block(JSON.stringify(value, null, 2) ?? "")}</details>`;
  return [
    `<li>${text(step.name)} ${tag("span", step.status.replace("_", " "), KINDS[step.status])}${step.status === "skipped" ? "" : ` <span class="quiet">${duration(step.durationMs)}</span>`}`,
    ...(step.error === undefined ? [] : [block([step.error, ...(step.where === undefined ? [] : [step.where])].join("\n"))]),
    ...step.requests.map(exchangePart),
    ...(step.args === undefined ? [] : [data("args", step.args)]),
    ...(Object.keys(set).length === 0 && deleted.length === 0 ? [] : [data("context", { set, deleted })]),
    "</li>",
  ].join("");
}
