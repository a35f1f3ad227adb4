import type { Faker } from "@faker-js/faker";
import type { Address, Order, OrderItem, Payment, Product, User } from "../model/context/test-data.ts";
import { REFERENCE_DATE } from "./faker.ts";

/** Draws a user. The order of the draws in this file must not change, because the same seed must always give the same values. */

export function user(faker: Faker): User {
  const firstName = faker.person.firstName();
  const lastName = faker.person.lastName();
  const handle = `${ascii(firstName)}.${ascii(lastName)}`;
  // Add random characters, because Faker may draw the same name twice on one path.
  const username = `${handle}.${faker.string.alphanumeric({ length: 6, casing: "lower" })}`;
  return {
    firstName,
    lastName,
    name: `${firstName} ${lastName}`,
    username,
    email: `${username}@example.com`,
    phone: phone(faker),
    password: password(faker),
    birthDate: faker.date.birthdate({ refDate: REFERENCE_DATE, mode: "age", min: 18, max: 80 }).toISOString().slice(0, 10),
  };
}

export function email(faker: Faker): string {
  return user(faker).email;
}

export function phone(faker: Faker): string {
  // Use the numbers 555-0100 to 555-0199, which are reserved for fiction and belong to nobody.
  return `+1${faker.string.numeric({ length: 3, allowLeadingZeros: false })}55501${faker.string.numeric(2)}`;
}

/**
 * Draws a password with upper and lower case letters, a digit and a punctuation mark. The password is too short to be mistaken for a generated id.
 */
export function password(faker: Faker): string {
  return `${faker.string.alpha({ length: 1, casing: "upper" })}${faker.string.alpha({ length: 1, casing: "lower" })}${faker.string.numeric(1)}!${faker.string.alphanumeric(8)}`;
}

export function product(faker: Faker): Product {
  return {
    sku: `${faker.string.alpha({ length: 3, casing: "upper" })}-${faker.string.numeric(5)}`,
    name: faker.commerce.productName(),
    description: faker.commerce.productDescription(),
    category: faker.commerce.department(),
    price: amount(faker, 1, 1000),
    currency: "USD",
  };
}

export function order(faker: Faker): Order {
  const items: OrderItem[] = [];
  for (let count = faker.number.int({ min: 1, max: 3 }); count > 0; count--) {
    const { sku, name, price } = product(faker);
    items.push({ sku, name, quantity: faker.number.int({ min: 1, max: 5 }), unitPrice: price });
  }
  const cents = items.reduce((sum, { quantity, unitPrice }) => sum + quantity * Math.round(unitPrice * 100), 0);
  return { items, total: cents / 100, currency: "USD", note: faker.lorem.sentence() };
}

export function address(faker: Faker): Address {
  return {
    street: faker.location.streetAddress(),
    city: faker.location.city(),
    zip: faker.location.zipCode("#####"),
    state: faker.location.state({ abbreviated: true }),
    country: "United States",
    countryCode: "US",
  };
}

export function payment(faker: Faker): Payment {
  return {
    method: "card",
    cardNumber: faker.finance.creditCardNumber({ issuer: "4##############L" }).replaceAll(/\D/g, ""),
    cardHolder: `${faker.person.firstName()} ${faker.person.lastName()}`,
    expiryMonth: faker.number.int({ min: 1, max: 12 }),
    expiryYear: faker.number.int({ min: 2040, max: 2049 }),
    cvv: faker.string.numeric(3),
    amount: amount(faker, 1, 1000),
    currency: "USD",
  };
}

/** Draws an amount with at most two decimals, so that sums of amounts can be compared in whole cents. */
export function amount(faker: Faker, min: number, max: number): number {
  return faker.number.int(cents(min, max)) / 100;
}

/** Returns the smallest and the largest number of whole cents in a range. `min` is above `max` if the range contains no whole cent. */
export function cents(min: number, max: number): { readonly min: number; readonly max: number } {
  // Round amounts that are almost whole cents, because products such as 0.28 * 100 = 28.000000000000004 are not exact.
  const exact = (cent: number): number => (Math.abs(cent - Math.round(cent)) < 1e-6 ? Math.round(cent) : cent);
  return { min: Math.ceil(exact(min * 100)), max: Math.floor(exact(max * 100)) };
}

function ascii(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/[^A-Za-z]/g, "")
    .toLowerCase();
}
