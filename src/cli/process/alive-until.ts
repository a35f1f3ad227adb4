/** Waits until `listen` calls its callback. A timer keeps the process alive meanwhile, because idle connections do not. */
export async function aliveUntil(listen: (done: () => void) => void): Promise<void> {
  const alive = setInterval(() => undefined, 60_000);
  await new Promise<void>(listen);
  clearInterval(alive);
}
