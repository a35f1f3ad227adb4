import { mix } from "./mixing.ts";
import { addPart, nameLine, type Naming, type Part } from "./parts.ts";

/**
 * The largest number of attempts to find an order for interchangeable ids. A state that needs more attempts may get another fingerprint when it is
 * reached again.
 */
export const MOST_BRANCHES = 2_000;
/**
 * The largest number of parts of the state that all attempts together may read. Reading them takes about 50 ms. Without this limit, even few attempts
 * would take long if thousands of ids are interchangeable.
 */
const MOST_WORK = 1_000_000;
const CHOSEN = 0x5bd1e995;

interface Solution {
  readonly text: string;
  readonly order: readonly number[];
}

/**
 * Names the ids that still have equal colours, so that their surroundings do not distinguish them (see `nameIds`). Ids that occur in a common part of
 * the state form a component, and each component is solved separately. Within a component, the search takes the smallest group of ids with equal
 * colours and tries each of its ids as the first. The attempt that gives the smallest text is used.
 */
export class TieSearch {
  readonly #parts: readonly Part[];
  readonly #bases: Int32Array;
  #names = new Int32Array(0);
  #sums = new Int32Array(0);
  #branches = 0;
  #work = 0;
  #bounded = false;

  constructor(parts: readonly Part[], bases: Int32Array) {
    this.#parts = parts;
    this.#bases = bases;
  }

  run(colours: Int32Array, plain: readonly string[]): Naming {
    this.#names = new Int32Array(colours.length).fill(-1);
    this.#sums = new Int32Array(colours.length);
    const ids = Array.from(colours, (_, id) => id);
    const solution = this.#solve(ids, Array.from(this.#parts.keys()), colours, 0, plain);
    return { text: solution.text, order: solution.order, bounded: this.#bounded };
  }

  get #exhausted(): boolean {
    return this.#branches >= MOST_BRANCHES || this.#work >= MOST_WORK;
  }

  #solve(ids: readonly number[], parts: readonly number[], colours: Int32Array, firstName: number, plain: readonly string[]): Solution {
    const sorted = ids.slice().sort((a, b) => colours[a]! - colours[b]!);
    const own: number[] = [];
    const tied: number[] = [];
    for (let i = 0; i < sorted.length; i++) {
      const colour = colours[sorted[i]!];
      const unique = (i === 0 || colours[sorted[i - 1]!] !== colour) && (i + 1 === sorted.length || colours[sorted[i + 1]!] !== colour);
      (unique ? own : tied).push(sorted[i]!);
    }
    if (tied.length > 0 && this.#exhausted) {
      // The search has reached its limit. The current names describe the state correctly, but another order might give a smaller text.
      this.#bounded = true;
      own.push(...tied.splice(0));
    }
    for (let i = 0; i < own.length; i++) this.#names[own[i]!] = firstName + i;
    const lines = plain.slice();
    const rest: number[] = [];
    for (const index of parts) {
      const part = this.#parts[index]!;
      if (part.ids.every((id) => this.#names[id]! >= 0)) lines.push(nameLine(part, this.#names));
      else rest.push(index);
    }
    const below = tied.length === 0 ? [] : this.#solveTied(tied, rest, colours, firstName + own.length, own.length === 0);
    for (const id of own) this.#names[id] = -1;
    const order = own.concat(...below.map((solution) => solution.order));
    // The text begins with the number of names, so that its end can be found when it is a part of the text of an outer search.
    return { text: `(${own.length};${lines.sort().join("")}${below.map((solution) => solution.text).join("")})`, order };
  }

  #solveTied(tied: readonly number[], parts: readonly number[], colours: Int32Array, firstName: number, stuck: boolean): Solution[] {
    const components = this.#components(tied, parts);
    if (components.length === 1 && stuck) return [this.#branch(tied, parts, colours, firstName)];
    return components
      .map((component) => this.#solve(component.ids, component.parts, colours, firstName, []))
      .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  }

  #branch(tied: readonly number[], parts: readonly number[], colours: Int32Array, firstName: number): Solution {
    let best: Solution | undefined;
    for (const id of smallestClass(tied, colours)) {
      if (best !== undefined && this.#exhausted) {
        this.#bounded = true;
        break;
      }
      this.#branches++;
      const chosen = colours.slice();
      chosen[id] = mix(chosen[id]!, CHOSEN);
      this.#refine(tied, parts, chosen);
      const solution = this.#solve(tied, parts, chosen, firstName, []);
      if (best === undefined || solution.text < best.text) best = solution;
    }
    return best!;
  }

  #refine(ids: readonly number[], parts: readonly number[], colours: Int32Array): void {
    let before = 0;
    for (;;) {
      for (const id of ids) this.#sums[id] = 0;
      for (const index of parts) addPart(this.#parts[index]!.ids, this.#bases[index]!, colours, this.#sums);
      for (const id of ids) colours[id] = mix(colours[id]!, this.#sums[id]!);
      this.#work += parts.length + ids.length;
      const classes = new Set(ids.map((id) => colours[id])).size;
      if (classes === ids.length || classes <= before) return;
      before = classes;
    }
  }

  /** Returns the components: groups of interchangeable ids that occur together in parts of the state. The groups and their ids are sorted. */
  #components(tied: readonly number[], parts: readonly number[]): { ids: number[]; parts: number[] }[] {
    const parent = new Map<number, number>(tied.map((id) => [id, id]));
    const find = (id: number): number => {
      let root = id;
      while (parent.get(root) !== root) root = parent.get(root)!;
      for (let next = id; next !== root;) {
        const up = parent.get(next)!;
        parent.set(next, root);
        next = up;
      }
      return root;
    };
    for (const index of parts) {
      let first = -1;
      for (const id of this.#parts[index]!.ids) {
        if (!parent.has(id)) continue;
        if (first < 0) first = find(id);
        else parent.set(find(id), first);
      }
    }
    const groups = new Map<number, { ids: number[]; parts: number[] }>();
    for (const id of tied.slice().sort((a, b) => a - b)) {
      const root = find(id);
      const group = groups.get(root);
      if (group === undefined) groups.set(root, { ids: [id], parts: [] });
      else group.ids.push(id);
    }
    for (const index of parts) {
      const id = this.#parts[index]!.ids.find((candidate) => parent.has(candidate));
      groups.get(find(id!))!.parts.push(index);
    }
    return [...groups.values()];
  }
}

/**
 * Returns the smallest group of ids with the same colour. Of several smallest groups, the group with the least colour is returned, so the choice does
 * not depend on the ids.
 */
function smallestClass(tied: readonly number[], colours: Int32Array): readonly number[] {
  const classes = new Map<number, number[]>();
  for (const id of tied) {
    const known = classes.get(colours[id]!);
    if (known === undefined) classes.set(colours[id]!, [id]);
    else known.push(id);
  }
  let best: readonly number[] | undefined;
  for (const [colour, members] of classes) {
    if (best === undefined || members.length < best.length || (members.length === best.length && colour < colours[best[0]!]!))
      best = members;
  }
  return best!.slice().sort((a, b) => a - b);
}
