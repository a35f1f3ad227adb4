export { DataFactory } from "./data-factory.ts";
export type { DataFactoryOptions } from "./data-factory.ts";
export type { Address, DataRecords, Order, OrderItem, Payment, Product, TestData, User } from "../model/context/test-data.ts";
