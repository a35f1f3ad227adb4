import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { WireRoute } from "../../../src/model/http/wire.ts";
import { privateAuthority, type Authority } from "../../support/certificates.ts";

export type ServerKind = "http" | "serial" | "https" | "h2c" | "h2" | "h2_and_https";

let authority: Authority | undefined;

/** A server of `server.mjs`, in its own process. */
export class ServerProcess {
  readonly origin: string;
  readonly route: WireRoute;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, origin: string, ca: readonly string[]) {
    this.#child = child;
    this.origin = origin;
    this.route = { key: origin, origin, ca, proxied: false };
  }

  static async start(kind: ServerKind): Promise<ServerProcess> {
    const secure = kind !== "http" && kind !== "serial" && kind !== "h2c";
    if (secure) authority ??= privateAuthority();
    const { cert, key, ca } = authority ?? { cert: undefined, key: undefined, ca: "" };
    const child = fork(fileURLToPath(new URL("server.mjs", import.meta.url)), {
      env: { ...process.env, SERVER: JSON.stringify({ kind, cert, key }) },
    });
    const [{ port }] = (await once(child, "message")) as [{ port: number }];
    return new ServerProcess(child, `${secure ? "https" : "http"}://127.0.0.1:${port}`, secure ? [ca] : []);
  }

  /** How often the handler of a path was called. */
  async count(path: string): Promise<number> {
    return (await this.#ask("count"))[path] ?? 0;
  }

  /** Connections without a request are closed when it returns. */
  async closeIdle(): Promise<void> {
    await this.#ask("close idle");
  }

  async stop(): Promise<void> {
    const exit = once(this.#child, "exit");
    this.#child.disconnect();
    await exit;
  }

  async #ask(message: string): Promise<Record<string, number>> {
    const answer = once(this.#child, "message") as Promise<[{ counts: Record<string, number> }]>;
    this.#child.send(message);
    return (await answer)[0].counts;
  }
}
