import { SeqqaError } from "../../../model/errors.ts";
import type { Argument, Connection } from "../connect/driver.ts";

/** Commands that change nothing, but that Redis does not flag as readonly, because they read no stored data. */
const HARMLESS = new Set(["ping", "echo", "time", "info", "command"]);

/** Runs the read commands of the user's checks. The names of readonly commands are cached, because checks use the same commands after every step. */
export class Looker {
  readonly #connection: Connection;
  readonly #reads = new Map<string, Promise<boolean>>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Executes a read-only command and returns its reply. @throws SeqqaError `QUERY_WRITES` if the command can write, or waits for a write */
  async command(name: string, parameters: readonly Argument[]): Promise<unknown> {
    const blocks = parameters.some((one) => typeof one === "string" && /^block$/i.test(one)) && /^xread$/i.test(name);
    if (blocks || !(await this.#isReader(name.toLowerCase(), parameters[0]))) {
      throw new SeqqaError(
        "QUERY_WRITES",
        `RedisAdapter.command accepts only commands that read, but ${name.slice(0, 40).toUpperCase()} ${blocks ? "with BLOCK waits for a write" : "is not such a command"}.`,
        {
          hint: "Use a command that only reads, such as GET, HGETALL, LRANGE or SMEMBERS. To change data, call the target in an action.",
        },
      );
    }
    return this.#connection.text(name, ...parameters);
  }

  async #isReader(name: string, first: Argument | undefined): Promise<boolean> {
    if (HARMLESS.has(name)) return true;
    if (await this.#flagged(name)) return true;
    return typeof first === "string" && /^[a-z]+$/i.test(first) && (await this.#flagged(`${name}|${first.toLowerCase()}`));
  }

  #flagged(name: string): Promise<boolean> {
    let answer = this.#reads.get(name);
    if (answer === undefined) {
      answer = this.#ask(name);
      this.#reads.set(name, answer);
      answer.catch(() => this.#reads.delete(name));
    }
    return answer;
  }

  async #ask(name: string): Promise<boolean> {
    const [info] = (await this.#connection.text("COMMAND", "INFO", name)) as readonly (readonly unknown[] | null)[];
    const flags = (info?.[2] ?? []) as readonly string[];
    return flags.includes("readonly") && !flags.includes("write");
  }
}
