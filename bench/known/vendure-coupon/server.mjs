// Vendure's shop on PostgreSQL, with one product and a coupon that may be used once. Sessions are read from the database each time.
import { mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { SERVER, DATABASE_URL, PORT } = process.env;
const load = createRequire(join(SERVER, "package.json"));
const vendure = load("@vendure/core");
const config = {
  apiOptions: { hostname: "127.0.0.1", port: Number(PORT ?? 0), adminApiPath: "admin-api", shopApiPath: "shop-api" },
  authOptions: {
    tokenMethod: "cookie",
    cookieOptions: { secret: "only-for-tests" },
    superadminCredentials: { identifier: "admin", password: "only-for-tests" },
    sessionCacheStrategy: new vendure.NoopSessionCacheStrategy(),
  },
  dbConnectionOptions: { type: "postgres", url: DATABASE_URL, synchronize: PORT === undefined },
  paymentOptions: { paymentMethodHandlers: [vendure.dummyPaymentHandler] },
  logger: new vendure.DefaultLogger({ level: vendure.LogLevel.Error }),
  plugins: [],
};

if (PORT !== undefined) await vendure.bootstrap(config);
else await fill();

/** Creates the tables and the data of the shop, in the database from which the stores of the lanes are copied. */
async function fill() {
  const { populate } = load("@vendure/core/cli");
  const products = join(mkdtempSync(join(tmpdir(), "seqqa-known-vendure-")), "products.csv");
  writeFileSync(
    products,
    `name,slug,description,assets,facets,optionGroups,optionValues,sku,price,taxCategory,stockOnHand,trackInventory,variantAssets,variantFacets
Pen,pen,A pen,,,,,P1,100.00,standard,100,false,,
`,
  );
  const data = {
    defaultLanguage: "en",
    defaultZone: "Europe",
    countries: [{ code: "AT", name: "Austria", zone: "Europe" }],
    taxRates: [{ name: "standard", percentage: 20 }],
    shippingMethods: [{ name: "post", price: 0 }],
    paymentMethods: [{ name: "paid", handler: { code: "dummy-payment-handler", arguments: [{ name: "automaticSettle", value: "true" }] } }],
    collections: [],
  };
  const app = await populate(() => vendure.bootstrap(config), data, products);
  const ctx = await app.get(vendure.RequestContextService).create({ apiType: "admin" });
  await app.get(vendure.PromotionService).createPromotion(ctx, {
    enabled: true,
    couponCode: "ONCE",
    usageLimit: 1,
    conditions: [],
    actions: [{ code: "order_percentage_discount", arguments: [{ name: "discount", value: "10" }] }],
    translations: [{ languageCode: "en", name: "once", description: "" }],
  });
  await app.close();
  process.exit(0);
}
