import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** What a module says as its only message, in a fresh process. @throws Error when it ends without one */
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
