export const stores = undefined;
