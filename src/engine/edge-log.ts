import { withRoom } from "./growable.ts";

const CLEAN = 1;
const FOUND = 2;

/** Every committed (state, action) pair that was executed, in the order of its commit: 13 bytes each. */
export class EdgeLog {
  #from: Int32Array = new Int32Array(1 << 12);
  #to: Int32Array = new Int32Array(1 << 12);
  #action: Uint16Array = new Uint16Array(1 << 12);
  #status: Uint16Array = new Uint16Array(1 << 12);
  #flags: Uint8Array = new Uint8Array(1 << 12);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** `to` is -1 where the outcome has no state; `clean`: it can be followed; `found`: a finding is on it. */
  add(from: number, action: number, to: number, status: number, clean: boolean, found: boolean = false): void {
    const edge = this.#size++;
    this.#from = withRoom(this.#from, edge);
    this.#to = withRoom(this.#to, edge);
    this.#action = withRoom(this.#action, edge);
    this.#status = withRoom(this.#status, edge);
    this.#flags = withRoom(this.#flags, edge);
    this.#from[edge] = from;
    this.#to[edge] = to;
    this.#action[edge] = action;
    this.#status[edge] = status;
    this.#flags[edge] = (clean ? CLEAN : 0) | (found ? FOUND : 0);
  }

  /** One of them. */
  at(edge: number): {
    readonly from: number;
    readonly action: number;
    readonly to: number;
    readonly status: number;
    readonly found: boolean;
  } {
    return {
      from: this.#from[edge]!,
      action: this.#action[edge]!,
      to: this.#to[edge]!,
      status: this.#status[edge]!,
      found: (this.#flags[edge]! & FOUND) !== 0,
    };
  }

  from(): Int32Array {
    return this.#from.slice(0, this.#size);
  }

  to(): Int32Array {
    return this.#to.slice(0, this.#size);
  }

  actions(): Int32Array {
    return Int32Array.from(this.#action.subarray(0, this.#size));
  }

  statuses(): Int32Array {
    return Int32Array.from(this.#status.subarray(0, this.#size));
  }

  clean(): Uint8Array {
    return this.#flags.slice(0, this.#size).map((flags) => flags & CLEAN);
  }
}
