export { RedisAdapter, type RedisAdapterOptions } from "./redis-adapter.ts";
