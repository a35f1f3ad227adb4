/** A postal address. */
export interface Address {
  readonly street: string;
  readonly city: string;
  readonly zip: string;
  readonly state: string;
  readonly country: string;
  /** ISO 3166-1 alpha-2. */
  readonly countryCode: string;
}

/** A person of the test data, with an address and a way to log in. */
export interface User {
  readonly firstName: string;
  readonly lastName: string;
  readonly name: string;
  readonly username: string;
  /** In a domain that nobody owns (RFC 2606). */
  readonly email: string;
  readonly phone: string;
  readonly password: string;
  /** `YYYY-MM-DD`, 18 to 80 years before the reference date. */
  readonly birthDate: string;
}

/** A thing that can be ordered. */
export interface Product {
  readonly sku: string;
  readonly name: string;
  readonly description: string;
  readonly category: string;
  /** With two decimals. */
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

/** An order of test data: its items and their total. */
export interface Order {
  readonly items: readonly OrderItem[];
  /** The sum of its items. */
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
  /** 2040 to 2049, so that the card is valid at any time at which the tests run. */
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
 * Test data drawn from a seed: the same calls in the same order give the same values, on every machine and at any time. A new version of
 * @faker-js/faker may give other values. Records take overrides of their fields.
 */
export interface TestData<D extends object = DataRecords> {
  user(overrides?: Partial<User>): User;
  product(overrides?: Partial<Product>): Product;
  order(overrides?: Partial<Order>): Order;
  address(overrides?: Partial<Address>): Address;
  payment(overrides?: Partial<Payment>): Payment;
  /** In a domain that nobody owns (RFC 2606). */
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
  /** A UUID of version 4. For the state's identity it is an opaque id, like one that the target generates. */
  uuid(): string;
  boolean(): boolean;
  /** From `min` to `max`, both included. @throws SeqqaError `DATA_RANGE` */
  integer(min: number, max: number): number;
  /** An amount of money with two decimals; default 1 to 1000. @throws SeqqaError `DATA_RANGE` */
  amount(min?: number, max?: number): number;
  /** ISO 8601, in the year before the reference date 2020-01-01: far from the clock, so that it is a value and not "now". */
  pastDate(): string;
  /** ISO 8601, in the 2040s. */
  futureDate(): string;
  /** One of a list. @throws SeqqaError `DATA_RANGE` for an empty one */
  pick<T>(list: readonly T[]): T;
  /**
   * Defines a kind of record; a later definition of a name wins. On `context.data` the definition lasts for the step. Data that several actions build
   * belongs in a function of the module: `const invoice = (data: TestData) => ({ amount: data.amount() })`.
   */
  define<N extends string, T extends object>(name: N, build: (data: TestData<D>) => T): TestData<Omit<D, N> & Record<N, T>>;
  /** A record of a kind. @throws SeqqaError `DATA_UNKNOWN` naming the kinds that are defined */
  create<N extends keyof D & string>(name: N, overrides?: Partial<D[N]>): D[N];
  create<T extends object = Record<string, unknown>>(name: string, overrides?: Partial<T>): T;
}
