import { usage } from "./run-options.ts";
import type { Shell } from "../process/shell.ts";

/** The environment variable for the secret of a distributed run. The coordinator and all workers need the same secret. */
const NAME = "SEQQA_SECRET";

/**
 * Returns the secret of a distributed run and removes it from the environment of this process, so that targets, services and user code cannot read
 * it.
 * @throws SeqqaError with exit status 2 if there is no secret
 */
export function takeSecret(forWhat: string, { env }: Pick<Shell, "env">): string {
  const secret = env[NAME];
  if (secret === undefined || secret.trim() === "") {
    const hint = `Set ${NAME} to the same long random value for the run and its workers. You can create a value with: openssl rand -hex 32`;
    throw usage(`${forWhat} needs the environment variable ${NAME}, the secret that signs the messages of a distributed run.`, hint);
  }
  if (env === process.env) delete process.env[NAME];
  return secret;
}
