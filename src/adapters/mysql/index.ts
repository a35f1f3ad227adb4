export { MysqlAdapter, type MysqlAdapterOptions } from "./mysql-adapter.ts";
export { stores } from "./stores.ts";
