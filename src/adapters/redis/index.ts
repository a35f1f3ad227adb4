export { RedisAdapter, type RedisAdapterOptions } from "./redis-adapter.ts";
export { stores } from "./provider/stores.ts";
