// Parse Server with reset links that are sent by mail. Accounts are locked after three wrong passwords.
import { createRequire } from "node:module";
import { join } from "node:path";
import { createTransport } from "nodemailer";

const { ParseServer } = createRequire(join(process.env.SERVER, "package.json"))("parse-server");
const url = `http://127.0.0.1:${process.env.PORT}/parse`;
const mail = createTransport(process.env.MAIL_URL ?? "smtp://127.0.0.1");
const send = ({ to, subject, text }) => mail.sendMail({ from: "app@example.org", to, subject, text });
await ParseServer.startApp({
  appId: "app",
  appName: "App",
  masterKey: "master",
  serverURL: url,
  publicServerURL: url,
  port: Number(process.env.PORT),
  host: "127.0.0.1",
  databaseURI: process.env.DATABASE_URL,
  logsFolder: null,
  accountLockout: { threshold: 3, duration: 5 },
  emailAdapter: {
    sendMail: send,
    sendPasswordResetEmail: ({ link, user }) => send({ to: user.get("email"), subject: "Reset", text: link }),
  },
});
