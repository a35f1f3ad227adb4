const MOST = 1000;

type Node =
  | { readonly kind: "character"; readonly text: string }
  | { readonly kind: "sequence"; readonly parts: readonly Node[] }
  | { readonly kind: "repeat"; readonly part: Node; readonly least: number; readonly most: number };

/**
 * Returns a text that matches a regular expression of a schema. Uses the first alternative, one character of each class, and as few repetitions as
 * the length allows. Returns `undefined` for look-arounds and back references, which are not supported. The expression is never executed, because it
 * could run endlessly.
 */
export function matchingText(pattern: string, minLength: number = 0, maxLength: number = Infinity): string | undefined {
  if (pattern.length > 1000) return undefined;
  try {
    const node = new Reader(pattern).read();
    // Build the text with more and more repetitions of its repeated parts, until it is long enough.
    for (const atLeast of [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256]) {
      const text = written(node, atLeast);
      if (text.length > maxLength) return undefined;
      if (text.length >= Math.max(minLength, 1) || (minLength === 0 && atLeast > 1)) return text;
    }
    return undefined;
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

class Unreadable extends Error {}

function written(node: Node, atLeast: number): string {
  switch (node.kind) {
    case "character":
      return node.text;
    case "sequence": {
      let text = "";
      for (const part of node.parts) {
        text += written(part, atLeast);
        if (text.length > 10 * MOST) throw new Unreadable();
      }
      return text;
    }
    case "repeat": {
      const count = Math.min(Math.max(node.least, atLeast), node.most);
      const one = written(node.part, atLeast);
      if (count > MOST || one.length * count > 10 * MOST) throw new Unreadable();
      return one.repeat(count);
    }
  }
}

const CLASSES: Readonly<Record<string, string>> = { d: "1", w: "a", s: " ", D: "a", W: "-", S: "a" };
const CONTROLS: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", f: "\f", v: "\v" };
const PREFERRED = "a1A-_. /@#";

class Reader {
  readonly #pattern: string;
  #at = 0;
  #depth = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  read(): Node {
    const node = this.#alternatives();
    if (this.#at < this.#pattern.length) throw new Unreadable();
    return node;
  }

  #alternatives(): Node {
    if (++this.#depth > 50) throw new Unreadable();
    const first = this.#sequence();
    // Use the first alternative. Parse the other alternatives only to find the end of the group.
    while (this.#take("|")) this.#sequence();
    this.#depth--;
    return first;
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#pattern.length && !"|)".includes(this.#pattern[this.#at]!)) {
      const part = this.#atom();
      if (part !== undefined) parts.push(this.#repeated(part));
    }
    return { kind: "sequence", parts };
  }

  #atom(): Node | undefined {
    const character = this.#next();
    if (character === "^" || character === "$") return undefined;
    if (character === "(") return this.#group();
    if (character === "[") return { kind: "character", text: this.#class() };
    if (character === ".") return { kind: "character", text: "a" };
    if (character === "\\") {
      const escaped = this.#next();
      if (escaped === "b" || escaped === "B") return undefined;
      if (/[1-9kpP]/.test(escaped)) throw new Unreadable();
      return { kind: "character", text: CLASSES[escaped] ?? this.#escaped(escaped) };
    }
    if ("*+?".includes(character)) throw new Unreadable();
    return { kind: "character", text: character };
  }

  #group(): Node {
    if (this.#take("?") && !this.#take(":")) {
      if (!this.#take("<") || /[=!]/.test(this.#pattern[this.#at] ?? "=")) throw new Unreadable();
      while (this.#next() !== ">");
    }
    const node = this.#alternatives();
    if (!this.#take(")")) throw new Unreadable();
    return node;
  }

  #repeated(part: Node): Node {
    let range: readonly [number, number] | undefined;
    if (this.#take("*")) range = [0, Infinity];
    else if (this.#take("+")) range = [1, Infinity];
    else if (this.#take("?")) range = [0, 1];
    else {
      const counted = /^\{(\d+)(,(\d*))?\}/.exec(this.#pattern.slice(this.#at, this.#at + 30));
      if (counted === null) return part;
      this.#at += counted[0].length;
      const least = Number(counted[1]);
      range = [least, counted[2] === undefined ? least : counted[3] === "" ? Infinity : Number(counted[3])];
    }
    this.#take("?");
    return { kind: "repeat", part, least: range[0], most: range[1] };
  }

  #class(): string {
    const not = this.#take("^");
    const ranges: [string, string][] = [];
    const named: string[] = [];
    for (let first = true; first || this.#pattern[this.#at] !== "]"; first = false) {
      if (first && this.#pattern[this.#at] === "]") break;
      const from = this.#member(named);
      if (from === undefined) continue;
      if (this.#pattern[this.#at] === "-" && this.#pattern[this.#at + 1] !== "]") {
        this.#next();
        ranges.push([from, this.#member(named) ?? from]);
      } else ranges.push([from, from]);
    }
    this.#next();
    const holds = (one: string): boolean =>
      ranges.some(([from, to]) => from <= one && one <= to) || named.some((name) => matchesNamed(name, one));
    const candidates = [...PREFERRED, ...ranges.map(([from]) => from), ...named.map((name) => CLASSES[name]!), ..."bcdefz0923BCXYZ!,;: "];
    const chosen = candidates.find((one) => holds(one) !== not);
    if (chosen === undefined) throw new Unreadable();
    return chosen;
  }

  #member(named: string[]): string | undefined {
    const character = this.#next();
    if (character !== "\\") return character;
    const escaped = this.#next();
    if (CLASSES[escaped] !== undefined) {
      named.push(escaped);
      return undefined;
    }
    if (/[pP]/.test(escaped)) throw new Unreadable();
    return escaped === "b" ? "\b" : this.#escaped(escaped);
  }

  #escaped(escaped: string): string {
    if (CONTROLS[escaped] !== undefined) return CONTROLS[escaped];
    if (escaped === "0") return "\0";
    const digits = escaped === "x" ? 2 : escaped === "u" ? 4 : 0;
    if (digits === 0) return escaped;
    const hex = this.#pattern.slice(this.#at, this.#at + digits);
    if (!/^[0-9a-fA-F]+$/.test(hex) || hex.length !== digits) throw new Unreadable();
    this.#at += digits;
    return String.fromCharCode(Number.parseInt(hex, 16));
  }

  #next(): string {
    const character = this.#pattern[this.#at++];
    if (character === undefined) throw new Unreadable();
    return character;
  }

  #take(character: string): boolean {
    if (this.#pattern[this.#at] !== character) return false;
    this.#at++;
    return true;
  }
}

function matchesNamed(name: string, character: string): boolean {
  const inside = { d: /\d/, w: /\w/, s: /\s/ }[name.toLowerCase()]!.test(character);
  return name === name.toLowerCase() ? inside : !inside;
}
