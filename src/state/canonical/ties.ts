import { mix } from "./mixing.ts";
import { addPart, nameLine, type Naming, type Part } from "./parts.ts";

/** The largest number of attempts to order interchangeable ids. If it is reached, the state counts as a separate state. */
export const MOST_BRANCHES = 2_000;
/** The same limit in visited parts (about 50 ms), because one attempt is long if thousands of ids are interchangeable. */
const MOST_WORK = 1_000_000;
const CHOSEN = 0x5bd1e995;

interface Solution {
  readonly text: string;
  readonly order: readonly number[];
}

/**
 * Names ids that share a colour with others. An id with a unique colour gets the next name. The other ids form components, connected by parts that
 * contain several of these ids. Components do not affect each other, so each is solved separately. If there is only one component, each id of its
 * smallest colour class is distinguished in turn, and the least text is used.
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
      // Any naming describes the state correctly, but it may not be the least one.
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
    // The count of names at the beginning separates names of this scope from names of the outer scopes.
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

  /** Groups interchangeable ids that share a part. Groups and their members are sorted by id. */
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

/** Returns the smallest colour class; among several, the one with the least colour. The choice does not depend on the names of ids. */
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
