import { spawn } from "node:child_process";
import { atEnd } from "./at-end.ts";
import { descendants, root, until } from "./e2e.ts";

/** The built command at a terminal of its own, where somebody types. */
export interface Typed {
  /** The process of the command. */
  readonly pid: number;
  /** What stands on the terminal so far, without the carriage returns of its lines. */
  readonly shown: () => string;
  /** Presses keys. `\r` is Enter, `\x03` Ctrl-C: the terminal makes a SIGINT of it, for all that runs in its foreground. */
  readonly press: (keys: string) => void;
  readonly ended: Promise<number | null>;
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Starts it on a pseudo terminal, by `script` of util-linux; it is gone when the tests of the file are over. */
export async function atTerminal(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Typed> {
  const command = [process.execPath, `${root}bin/seqqa.js`, ...args].map(quoted).join(" ");
  // The shell makes way for the command, so that it is the child of `script`.
  const terminal = spawn("script", ["--quiet", "--return", "--flush", "--command", `exec ${command}`, "/dev/null"], {
    cwd,
    env: { ...process.env, SHELL: "/bin/sh", NO_COLOR: "1", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let text = "";
  terminal.stdout.setEncoding("utf8").on("data", (more: string) => (text += more));
  const ended = new Promise<number | null>((resolve) => terminal.once("close", (status) => resolve(status)));
  atEnd(async () => {
    if (terminal.exitCode === null) terminal.kill("SIGKILL");
    await ended;
  });
  let pid: number | undefined;
  await until(() => ([pid] = descendants(terminal.pid!)) && pid !== undefined, "the command runs");
  return { pid: pid!, shown: () => text.replaceAll("\r", ""), press: (keys) => void terminal.stdin.write(keys), ended };
}
