/** Keeps the process alive until `listen` calls its callback. A timer is needed for this, because idle connections do not keep a process alive. */
export async function aliveUntil(listen: (done: () => void) => void): Promise<void> {
  const alive = setInterval(() => undefined, 60_000);
  await new Promise<void>(listen);
  clearInterval(alive);
}
