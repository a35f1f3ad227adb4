export { MysqlAdapter, type MysqlAdapterOptions } from "./mysql-adapter.ts";
export { stores } from "./provider/stores.ts";
