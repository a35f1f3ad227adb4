export async function recoverCopy(_c: unknown): Promise<void> {}
