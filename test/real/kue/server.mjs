import { createRequire } from "node:module";

// As its documentation says; on this machine alone, which its own command has no option for.
const kue = createRequire(`${process.env.REAL_SERVER}/`)("kue");
kue.createQueue({ redis: process.env.REDIS_URL });
kue.app.listen(process.env.PORT, "127.0.0.1");
