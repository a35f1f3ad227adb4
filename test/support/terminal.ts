import { spawn } from "node:child_process";
import { atEnd } from "./at-end.ts";
import { descendants, root, until } from "./e2e.ts";

/** The built command in its own terminal, in which a test can type. */
export interface Typed {
  /** The process id of the command. */
  readonly pid: number;
  /** Returns the text on the terminal so far, without carriage returns. */
  readonly shown: () => string;
  /** Presses keys. `\r` is Enter. `\x03` is Ctrl-C: the terminal sends a SIGINT to all its foreground processes. */
  readonly press: (keys: string) => void;
  readonly ended: Promise<number | null>;
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Starts the command on a pseudo terminal, by the program `script` of util-linux. It is killed after the tests of the file. */
export async function atTerminal(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Typed> {
  const command = [process.execPath, `${root}bin/seqqa.js`, ...args].map(quoted).join(" ");
  // With `exec`, the command replaces the shell, so it is a direct child of `script`.
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
