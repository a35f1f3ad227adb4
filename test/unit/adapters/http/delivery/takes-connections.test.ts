import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { takesConnections } from "../../../../../src/adapters/http/delivery/takes-connections.ts";

it("is true while a server listens, and not after it has closed", async () => {
  const server = http.createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(await takesConnections(url)).toBe(true);
  await new Promise((resolve) => server.close(resolve));
  expect(await takesConnections(url)).toBe(false);
});
