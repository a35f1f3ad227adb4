import { usage } from "./run-options.ts";
import type { Shell } from "../process/shell.ts";

/** The environment variable with the secret that the coordinator and the workers of a distributed run share. */
const NAME = "SEQQA_SECRET";

/**
 * Returns the secret of a distributed run. Removes the secret from the environment of this process, so that targets, services and user code cannot
 * read it.
 * @throws SeqqaError with exit status 2 if there is no secret
 */
export function takeSecret(forWhat: string, { env }: Pick<Shell, "env">): string {
  const secret = env[NAME];
  if (secret === undefined || secret.trim() === "") {
    const hint = `Give the run and its workers the same long random ${NAME}, for example of: openssl rand -hex 32.`;
    throw usage(`${forWhat} needs the environment variable ${NAME}, with which jobs are signed.`, hint);
  }
  if (env === process.env) delete process.env[NAME];
  return secret;
}
