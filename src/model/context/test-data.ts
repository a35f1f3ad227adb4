/** A postal address. */
export interface Address {
  readonly street: string;
  readonly city: string;
  readonly zip: string;
  readonly state: string;
  readonly country: string;
  /** The country in ISO 3166-1 alpha-2, e.g. `DE`. */
  readonly countryCode: string;
}

/** A person in the test data, with an address and credentials. */
export interface User {
  readonly firstName: string;
  readonly lastName: string;
  readonly name: string;
  readonly username: string;
  /** An email address in a domain that is reserved for examples (RFC 2606). */
  readonly email: string;
  readonly phone: string;
  readonly password: string;
  /** The date of birth as `YYYY-MM-DD`, 18 to 80 years before the reference date. */
  readonly birthDate: string;
}

/** A product that can be ordered. */
export interface Product {
  readonly sku: string;
  readonly name: string;
  readonly description: string;
  readonly category: string;
  /** The price, with two decimals. */
  readonly price: number;
  readonly currency: string;
}

/** One product of an order, with its quantity. */
export interface OrderItem {
  readonly sku: string;
  readonly name: string;
  readonly quantity: number;
  readonly unitPrice: number;
}

/** An order in the test data: its items and their total. */
export interface Order {
  readonly items: readonly OrderItem[];
  /** The sum over all items: the unit price times the quantity. */
  readonly total: number;
  readonly currency: string;
  readonly note: string;
}

/** A payment for an order. */
export interface Payment {
  readonly method: "card";
  /** A number that passes the Luhn check. */
  readonly cardNumber: string;
  readonly cardHolder: string;
  readonly expiryMonth: number;
  /** The year of expiry, 2040 to 2049, so that the card is valid whenever the tests run. */
  readonly expiryYear: number;
  readonly cvv: string;
  readonly amount: number;
  readonly currency: string;
}

/** The built-in kinds of records. */
export interface DataRecords {
  readonly user: User;
  readonly product: Product;
  readonly order: Order;
  readonly address: Address;
  readonly payment: Payment;
}

/**
 * Test data drawn from a seed. The same calls in the same order return the same values, on every machine and at any time. Another version of
 * @faker-js/faker may return other values. The methods for records accept overrides of their fields.
 */
export interface TestData<D extends object = DataRecords> {
  user(overrides?: Partial<User>): User;
  product(overrides?: Partial<Product>): Product;
  order(overrides?: Partial<Order>): Order;
  address(overrides?: Partial<Address>): Address;
  payment(overrides?: Partial<Payment>): Payment;
  /** Returns an email address in a domain that is reserved for examples (RFC 2606). */
  email(): string;
  firstName(): string;
  lastName(): string;
  name(): string;
  username(): string;
  password(): string;
  phone(): string;
  company(): string;
  word(): string;
  sentence(): string;
  /** Returns a UUID of version 4. When states are compared, it counts as a generated id. */
  uuid(): string;
  boolean(): boolean;
  /** Returns an integer from `min` to `max`, both included. @throws SeqqaError `DATA_RANGE` for an invalid range */
  integer(min: number, max: number): number;
  /** Returns an amount of money with two decimals, by default 1 to 1000. @throws SeqqaError `DATA_RANGE` for an invalid range */
  amount(min?: number, max?: number): number;
  /** Returns a time (ISO 8601) in the year before 2020-01-01. Such a time is far from the current time, so seqqa does not treat it as "now". */
  pastDate(): string;
  /** Returns a time in the 2040s (ISO 8601). */
  futureDate(): string;
  /** Returns one element of a list. @throws SeqqaError `DATA_RANGE` for an empty list */
  pick<T>(list: readonly T[]): T;
  /**
   * Defines a kind of record. A later definition replaces an earlier definition of the same name. On `context.data` the definition lasts for one
   * step. If several actions build the same kind of record, write a function instead:
   * `const invoice = (data: TestData) => ({ amount: data.amount() })`.
   */
  define<N extends string, T extends object>(name: N, build: (data: TestData<D>) => T): TestData<Omit<D, N> & Record<N, T>>;
  /** Builds a record of a kind. @throws SeqqaError `DATA_UNKNOWN` naming the kinds that are defined */
  create<N extends keyof D & string>(name: N, overrides?: Partial<D[N]>): D[N];
  create<T extends object = Record<string, unknown>>(name: string, overrides?: Partial<T>): T;
}
