import type { Exchange } from "../../model/http/client.ts";
import { withoutBodies } from "../../model/http/without-bodies.ts";
import type { ErrorEvent } from "../../messages/lane-messages.ts";

/** The bodies of the current step and its checks, which errors must not quote. */
export class HiddenBodies {
  readonly #bodies: string[] = [];

  add(exchange: Exchange): void {
    if (exchange.kind === "answer") this.#bodies.push(exchange.response.request.body ?? "", exchange.response.text);
  }

  clear(): void {
    if (this.#bodies.length > 0) this.#bodies.length = 0;
  }

  /** Returns the event without the bodies that its message and its stack quote. */
  removedFrom(event: ErrorEvent): ErrorEvent {
    if (this.#bodies.length === 0) return event;
    const shown = (text: string): string => withoutBodies(text, this.#bodies);
    return { ...event, message: shown(event.message), stack: event.stack === undefined ? undefined : shown(event.stack) };
  }
}
