import type { Faker } from "@faker-js/faker";
import { SeqqaError } from "../model/errors.ts";
import type { Address, DataRecords, Order, Payment, Product, TestData, User } from "../model/context/test-data.ts";
import { fakerOn } from "./faker.ts";
import * as records from "./records.ts";
import { Stream } from "./stream.ts";

/** Options of {@link DataFactory}. */
export interface DataFactoryOptions {
  /** The seed of the random values. Equal seeds give equal data. Default: 0. */
  readonly seed?: number | string;
}

type Build = (data: DataFactory<never>) => object;

const BUILT_IN = ["user", "product", "order", "address", "payment"] as const satisfies readonly (keyof DataRecords)[];

/** Draws random test data. See `TestData` for the methods. In actions, `context.data` is a data factory whose seed depends on the step's path. */
export class DataFactory<D extends object = DataRecords> implements TestData<D> {
  readonly #key: string;
  readonly #definitions: Map<string, Build> = new Map();
  #stream: Stream | undefined;

  /** Creates a factory. @throws SeqqaError `DATA_SEED` if the seed is neither a string nor a finite number */
  constructor({ seed = 0 }: DataFactoryOptions = {}) {
    if (typeof seed !== "string" && !Number.isFinite(seed)) {
      throw new SeqqaError("DATA_SEED", `The option seed of a DataFactory is ${String(seed)}, but must be a number or a string.`, {
        exitStatus: 2,
      });
    }
    this.#key = `${typeof seed}:${seed}`;
  }

  user(overrides?: Partial<User>): User {
    return { ...records.user(this.#faker), ...overrides };
  }

  product(overrides?: Partial<Product>): Product {
    return { ...records.product(this.#faker), ...overrides };
  }

  order(overrides?: Partial<Order>): Order {
    return { ...records.order(this.#faker), ...overrides };
  }

  address(overrides?: Partial<Address>): Address {
    return { ...records.address(this.#faker), ...overrides };
  }

  payment(overrides?: Partial<Payment>): Payment {
    return { ...records.payment(this.#faker), ...overrides };
  }

  email(): string {
    return records.email(this.#faker);
  }

  firstName(): string {
    return this.#faker.person.firstName();
  }

  lastName(): string {
    return this.#faker.person.lastName();
  }

  name(): string {
    return `${this.firstName()} ${this.lastName()}`;
  }

  username(): string {
    return records.user(this.#faker).username;
  }

  password(): string {
    return records.password(this.#faker);
  }

  phone(): string {
    return records.phone(this.#faker);
  }

  company(): string {
    return this.#faker.company.name();
  }

  word(): string {
    return this.#faker.lorem.word();
  }

  sentence(): string {
    return this.#faker.lorem.sentence();
  }

  uuid(): string {
    return this.#faker.string.uuid();
  }

  boolean(): boolean {
    return this.#faker.datatype.boolean();
  }

  integer(min: number, max: number): number {
    if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max) || min > max) throw outOfRange("integer", min, max, "integers");
    return this.#faker.number.int({ min, max });
  }

  amount(min: number = 1, max: number = 1000): number {
    const range = records.cents(min, max);
    if (!Number.isFinite(min) || !Number.isFinite(max) || range.min > range.max) {
      throw outOfRange("amount", min, max, "numbers at least 0.01 apart");
    }
    return records.amount(this.#faker, min, max);
  }

  pastDate(): string {
    return this.#faker.date.past({ years: 1 }).toISOString();
  }

  futureDate(): string {
    return this.#faker.date.between({ from: "2040-01-01T00:00:00.000Z", to: "2049-12-31T00:00:00.000Z" }).toISOString();
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0)
      throw new SeqqaError("DATA_RANGE", "pick() of the test data factory got an empty list.", {
        hint: "Pass a list with at least one value.",
      });
    return list[this.integer(0, list.length - 1)]!;
  }

  define<N extends string, T extends object>(name: N, build: (data: TestData<D>) => T): DataFactory<Omit<D, N> & Record<N, T>> {
    if (typeof name !== "string" || name === "" || typeof build !== "function") {
      throw new SeqqaError("DATA_DEFINITION", "define() of the test data factory got no name, or no function that builds the record.", {
        exitStatus: 2,
        hint: 'Write define("invoice", (data) => ({ amount: data.amount() })).',
      });
    }
    this.#definitions.set(name, build);
    return this;
  }

  create<N extends keyof D & string>(name: N, overrides?: Partial<D[N]>): D[N];
  create<T extends object = Record<string, unknown>>(name: string, overrides?: Partial<T>): T;
  create(name: string, overrides?: object): object {
    const build = this.#definitions.get(name);
    if (build !== undefined) return { ...build(this as unknown as DataFactory<never>), ...overrides };
    const known = BUILT_IN.find((one) => one === name);
    if (known !== undefined) return this[known](overrides);
    throw new SeqqaError("DATA_UNKNOWN", `The test data factory has no kind of record with the name "${name}".`, {
      hint: `Use ${[...new Set([...BUILT_IN, ...this.#definitions.keys()])].join(", ")}. Add other kinds with define(name, build).`,
    });
  }

  get #faker(): Faker {
    return fakerOn((this.#stream ??= new Stream(this.#key)));
  }
}

function outOfRange(what: string, min: unknown, max: unknown, wanted: string): SeqqaError {
  return new SeqqaError(
    "DATA_RANGE",
    `${what}(${String(min)}, ${String(max)}) of the test data factory is not a valid range: min and max must be ${wanted}, and min must not be above max.`,
  );
}
