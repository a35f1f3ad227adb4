import { withRoom } from "./growable.ts";

/** Every committed (state, action) pair that was executed, in the order of its commit: 13 bytes each. */
export class EdgeLog {
  #from: Int32Array = new Int32Array(1 << 12);
  #to: Int32Array = new Int32Array(1 << 12);
  #action: Uint16Array = new Uint16Array(1 << 12);
  #status: Uint16Array = new Uint16Array(1 << 12);
  #clean: Uint8Array = new Uint8Array(1 << 12);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** `to` is -1 where the outcome has no state; `clean`: no finding on it, so that it can be followed. */
  add(from: number, action: number, to: number, status: number, clean: boolean): void {
    const edge = this.#size++;
    this.#from = withRoom(this.#from, edge);
    this.#to = withRoom(this.#to, edge);
    this.#action = withRoom(this.#action, edge);
    this.#status = withRoom(this.#status, edge);
    this.#clean = withRoom(this.#clean, edge);
    this.#from[edge] = from;
    this.#to[edge] = to;
    this.#action[edge] = action;
    this.#status[edge] = status;
    this.#clean[edge] = clean ? 1 : 0;
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
    return this.#clean.slice(0, this.#size);
  }
}
