import { mysql, postgres, redis } from "./services/kinds.ts";
import { variable, type Service } from "./services/service.ts";

/** URL of an administrator of a PostgreSQL server, without a path. @throws Error that says how to get one. */
export const postgresUrl = (): Promise<string> => urlOf(postgres);

/** URL of an administrator of a MariaDB or MySQL server, without a path. @throws Error that says how to get one. */
export const mysqlUrl = (): Promise<string> => urlOf(mysql);

/** URL of a Redis server, without a path. @throws Error that says how to get one. */
export const redisUrl = (): Promise<string> => urlOf(redis);

function urlOf(service: Service): Promise<string> {
  const url = process.env[variable(service)];
  if (url !== undefined && url !== "") return Promise.resolve(url);
  return Promise.reject(
    new Error(process.env[`${variable(service)}_MISSING`] ?? `${variable(service)} is not set: run the tests with vitest.`),
  );
}
