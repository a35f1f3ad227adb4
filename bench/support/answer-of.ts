import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Runs a module in a new process, and returns the only message that it sends. @throws Error if the process ends without a message */
export function answerOf<T>(entry: URL, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(entry), [...args], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    let answer: { readonly message: T } | undefined;
    child.on("message", (message) => (answer = { message: message as T }));
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      if (answer === undefined) reject(new Error(`The process for ${args.join(" ")} ended with ${signal ?? code}.`));
      else resolve(answer.message);
    });
  });
}
