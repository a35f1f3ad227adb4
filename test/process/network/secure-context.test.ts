import * as tls from "node:tls";
import { expect, it, vi } from "vitest";
import { privateAuthority } from "../../support/certificates.ts";

vi.mock("node:tls", async (original) => {
  const real = await original<typeof tls>();
  return { getCACertificates: undefined, ...real, createSecureContext: vi.fn(real.createSecureContext) };
});

it("trusts a private authority beside Node's own, and reads them once", async () => {
  // Another file of this worker may have loaded it with Node's own TLS.
  vi.resetModules();
  const { secureContext } = await import("../../../src/network/secure-context.ts");
  const { ca } = privateAuthority();
  const context = secureContext([ca]);
  expect(context).toBeDefined();
  expect(secureContext([ca])).toBe(context);
  expect(secureContext([])).toBeUndefined();
  const calls = vi.mocked(tls.createSecureContext).mock.calls;
  expect(calls).toHaveLength(1);
  const trusted = calls[0]![0]!.ca as string[];
  expect(trusted).toContain(ca);
  expect(trusted).toEqual(expect.arrayContaining([...tls.rootCertificates]));
});
