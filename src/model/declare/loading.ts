let loading = 0;

/** Imports a user's module. While that goes on, {@link isLoading} says so. */
export async function whileLoading<T>(load: () => Promise<T>): Promise<T> {
  loading++;
  try {
    return await load();
  } finally {
    loading--;
  }
}

/** Whether seqqa is importing a user's module in this thread: what that module does at its top level, it does again for every lane. */
export function isLoading(): boolean {
  return loading > 0;
}
