import { expect, test } from "vitest";
import { redisPlace, shownPlace, urlOfPlace } from "../../../../../src/adapters/redis/connect/redis-url.ts";

test.each([
  ["redis://h", { host: "h", port: 6379, db: 0, tls: false, username: undefined, password: undefined }, "redis://h:6379/0"],
  ["redis://:p%40w@h:1/2", { host: "h", port: 1, db: 2, tls: false, username: undefined, password: "p@w" }, "redis://h:1/2"],
  ["rediss://u:p@[::1]:7/?db=3", { host: "::1", port: 7, db: 3, tls: true, username: "u", password: "p" }, "rediss://[::1]:7/3"],
])("%s", (url, place, shown) => {
  expect(redisPlace(url)).toEqual(place);
  expect(shownPlace(redisPlace(url))).toBe(shown);
  expect(redisPlace(urlOfPlace(redisPlace(url)))).toEqual(place);
});

test.each(["", "nonsense", "redis:", "redis://h/-1", "redis://h/1/2", "postgres://h/0"])("refuses %j without showing it", (url) => {
  expect(() => redisPlace(url)).toThrow(expect.objectContaining({ code: "REDIS_URL_INVALID", exitStatus: 2 }));
});
