import { randomInt } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { SeqqaError } from "../../model/errors.ts";
import { isDead } from "../sweep.ts";
import { readRecord, self, tmpUnusable, type Owner } from "../run-directory.ts";

const TRIES = 200;

/**
 * Chooses free ports. A file reserves each port, so that two lanes, or two runs of one user, never get the same port. The ports are outside the range
 * for outgoing connections, because seqqa opens many outgoing connections.
 */
export class Ports {
  readonly #claims: string;
  readonly #held = new Set<number>();

  constructor(root: string) {
    this.#claims = join(root, "ports");
  }

  /** @throws SeqqaError `NO_FREE_PORT`; `TMP_UNUSABLE` if a reservation cannot be written */
  async claim(): Promise<number> {
    const [low, high] = range();
    for (let tried = 0; tried < TRIES; tried++) {
      const port = randomInt(low, high + 1);
      if (!this.#take(port)) continue;
      if (await isFree(port)) return port;
      this.release(port);
    }
    throw new SeqqaError("NO_FREE_PORT", `seqqa found no free port between ${low} and ${high} for a lane.`, {
      hint: "End programs that listen on these ports, or use fewer lanes (--parallel).",
    });
  }

  release(port: number): void {
    if (this.#held.delete(port)) rmSync(join(this.#claims, String(port)), { force: true });
  }

  releaseAll(): void {
    for (const port of this.#held) this.release(port);
  }

  #take(port: number): boolean {
    const file = join(this.#claims, String(port));
    try {
      mkdirSync(this.#claims, { recursive: true, mode: 0o700 });
      const owner = readRecord<Owner>(file);
      if (owner !== undefined && isDead(owner)) rmSync(file, { force: true });
      writeFileSync(file, JSON.stringify(self()), { flag: "wx", mode: 0o600 });
    } catch (error) {
      const { code, syscall } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") return false;
      // If the file was created but could not be written, e.g. because the disk is full, remove it. If it could not be created, it may belong to
      // another run.
      if (syscall === "write") rmSync(file, { force: true });
      throw tmpUnusable(this.#claims, error);
    }
    this.#held.add(port);
    return true;
  }
}

/** Returns `true` if no program listens on the port, neither on IPv4 nor on IPv6. */
export async function isFree(port: number): Promise<boolean> {
  return (await canListen(port, "127.0.0.1")) && (await canListen(port, "::"));
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", ({ code }: NodeJS.ErrnoException) => {
      // Only the superuser is allowed to listen on a port below 1024, so test such a port by connecting to it.
      if (code === "EACCES") void answers(port, host === "::" ? "::1" : host).then((isTaken) => resolve(!isTaken));
      else resolve(code === "EAFNOSUPPORT" || code === "EADDRNOTAVAIL");
    });
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

function answers(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host });
    const end = (isTaken: boolean): void => {
      socket.destroy();
      resolve(isTaken);
    };
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });
}

function range(): readonly [low: number, high: number] {
  const outgoing = lowestOutgoing();
  return outgoing > 20_000 ? [outgoing - 10_000, outgoing - 1] : [20_000, 32_000];
}

function lowestOutgoing(): number {
  try {
    return Number(readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").trim().split(/\s+/)[0]);
  } catch {
    return 49_152; // the first port of IANA's range for outgoing connections
  }
}
