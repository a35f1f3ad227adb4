/** Waits until `listen` is called back. Nothing else keeps the process alive meanwhile: connections at rest do not. */
export async function aliveUntil(listen: (done: () => void) => void): Promise<void> {
  const alive = setInterval(() => undefined, 60_000);
  await new Promise<void>(listen);
  clearInterval(alive);
}
