import type { Divergence } from "../../model/results/result.ts";
import { writtenText, type LaneDivergence } from "../../messages/lane-messages.ts";

/** Largest number of divergences that are kept. Divergences of the same kind and with the same message count as one. */
const MOST = 50;

export class DivergenceLog {
  readonly #actions: readonly string[];
  readonly #found: Map<string, LaneDivergence> = new Map();
  readonly #lateFields: Set<string> = new Set();

  constructor(actions: readonly string[]) {
    this.#actions = actions;
  }

  /**
   * Adds a divergence. Returns `true` if the divergence is new: the list is not full and contains no divergence of the same kind with the same
   * message. Messages about late writes that differ only in the written fields count as the same message. Of divergences with the same kind and
   * message, the list keeps the one with the shortest path, or with the lowest action indices if the paths are equally long. The result therefore
   * does not depend on which lane reports first.
   */
  add(reported: LaneDivergence): boolean {
    const { fields = [] } = reported;
    for (const field of fields) this.#lateFields.add(field);
    const key = `${reported.kind}\n${fields.length === 0 ? reported.message : reported.message.replace(writtenText(fields), writtenText([]))}`;
    const known = this.#found.get(key);
    if (known === undefined && this.#found.size >= MOST) return false;
    if (known === undefined || comesBefore(reported.path, known.path)) this.#found.set(key, reported);
    return known === undefined;
  }

  /** Adds the divergences of an earlier session of the run. A divergence that names an unknown action is left out. */
  restore(found: readonly Divergence[]): void {
    for (const one of found) {
      const path = one.path.map((name) => this.#actions.indexOf(name));
      if (!path.includes(-1)) this.add({ ...one, path });
    }
  }

  /** Returns `true` if the list of fields is not empty and each of the fields was seen to change after an answer. */
  areLate(fields: readonly string[]): boolean {
    return fields.length > 0 && fields.every((field) => this.#lateFields.has(field));
  }

  /** Returns all divergences, in an order that does not depend on the order of the reports. */
  get all(): readonly Divergence[] {
    return [...this.#found]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(
        ([
          ,
          { calls: _calls, reduced: _reduced, seconds: _seconds, unlinked: _unlinked, rowOrders: _rowOrders, seen: _seen, ...reported },
        ]) => ({
          ...this.#withTimer(reported),
          path: reported.path.map((action) => this.#actions[action]!),
        }),
      );
  }

  /** If the differences contain a field that was also written after answers, adds to the hint that a timer of the target may be the cause. */
  #withTimer(one: LaneDivergence): LaneDivergence {
    if (!MAY_BE_TIMER.has(one.kind)) return one;
    const field = [...this.#lateFields].toSorted(byText).find((late) => one.differences.some((line) => namesField(line, late)));
    if (field === undefined) return one;
    const timer = `The target also wrote ${field} after it had answered. If a timer or job of the target wrote it, switch it off in target.env, or list the column under \`ignore\`.`;
    return { ...one, hint: one.hint === undefined ? timer : `${timer} Otherwise: ${one.hint}` };
  }
}

/** The kinds of divergences whose difference may come from a timer of the target. */
const MAY_BE_TIMER: ReadonlySet<LaneDivergence["kind"]> = new Set(["cross_check", "merge", "replay"]);

const byText = (a: string, b: string): number => (a < b ? -1 : 1);

/** Returns `true` if a line about a difference contains the field: `+ systems.db.orders + {id: 1, status: "paid"}` contains `orders.status`. */
function namesField(line: string, field: string): boolean {
  if (line.startsWith(`${field}: `)) return true;
  const at = field.lastIndexOf(".");
  return line.includes(`.${field.slice(0, at)} `) && line.includes(`${field.slice(at + 1)}: `);
}

function comesBefore(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return a.length < b.length;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! < b[i]!;
  return false;
}
