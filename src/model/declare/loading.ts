let loading = 0;

/** Imports a user's module. {@link isLoading} returns `true` during the import. */
export async function whileLoading<T>(load: () => Promise<T>): Promise<T> {
  loading++;
  try {
    return await load();
  } finally {
    loading--;
  }
}

/** Returns `true` while seqqa imports a user's module in this thread. Top-level code of that module runs again for every lane. */
export function isLoading(): boolean {
  return loading > 0;
}
