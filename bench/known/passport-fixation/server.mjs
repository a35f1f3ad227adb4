// Express with sessions on PostgreSQL. Passport handles the logins.
import { createRequire } from "node:module";
import { join } from "node:path";

const { SERVER, DATABASE_URL, PORT } = process.env;
const load = createRequire(join(SERVER, "package.json"));
const [express, session, passport, { Strategy }] = ["express", "express-session", "passport", "passport-local"].map((name) => load(name));
const Store = load("connect-pg-simple")(session);
const store = new Store({ conString: DATABASE_URL, createTableIfMissing: true, pruneSessionInterval: false });
// Without PORT, the program only creates the tables.
if (PORT === undefined) {
  await store.get("none", () => process.exit(0));
  await new Promise(() => {});
}
passport.use(new Strategy((name, password, done) => done(null, password === "secret-12" ? { id: name } : false)));
passport.serializeUser((user, done) => done(null, user.id));
passport.deserializeUser((id, done) => done(null, { id }));
const app = express();
app.use(express.json());
app.use(session({ store, secret: "only-for-tests", resave: false, saveUninitialized: false }));
app.use(passport.initialize());
app.use(passport.session());
app.post("/cart", ({ session: { cart = 0 }, session: opened }, response) => {
  opened.cart = cart + 1;
  response.json({ cart: opened.cart });
});
app.post("/login", passport.authenticate("local"), ({ user }, response) => response.json(user));
app.get("/me", ({ user }, response) => (user === undefined ? response.sendStatus(401) : response.json(user)));
app.get("/ready", (_, response) => response.sendStatus(204));
app.listen(PORT, "127.0.0.1");
