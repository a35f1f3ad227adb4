// Parse Server with its second factor (one-time passwords and recovery codes).
import { createRequire } from "node:module";
import { join } from "node:path";

const { ParseServer } = createRequire(join(process.env.SERVER, "package.json"))("parse-server");
const url = `http://127.0.0.1:${process.env.PORT}/parse`;
await ParseServer.startApp({
  appId: "app",
  masterKey: "master",
  serverURL: url,
  port: Number(process.env.PORT),
  host: "127.0.0.1",
  databaseURI: process.env.DATABASE_URL,
  logsFolder: null,
  auth: { mfa: { enabled: true, options: ["TOTP"], digits: 6, period: 30, algorithm: "SHA1" } },
});
