/** How long what is left to do at the end may take, in milliseconds: with a server that is away it would never be done. */
const PARTING_MS = 3000;

/** Waits for something, but not for long; that it fails is no matter either. */
export async function inTime(work: Promise<unknown>, ms: number = PARTING_MS): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}
