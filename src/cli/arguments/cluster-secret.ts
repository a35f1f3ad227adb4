import { usage } from "./run-options.ts";
import type { Shell } from "../process/shell.ts";

/** The environment variable with the secret that coordinator and workers of a distributed run share. */
const NAME = "SEQQA_SECRET";

/**
 * Returns the secret of a distributed run, and removes it from the environment of this process: targets, services and the user's code do not need it.
 * @throws SeqqaError with exit status 2 when there is none
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
