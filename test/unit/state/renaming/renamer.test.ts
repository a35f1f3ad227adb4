import { beforeAll, describe, expect, it } from "vitest";
import {
  compareExecutions,
  contentOf,
  FULL_ORDER,
  loadHasher,
  NO_ORIGINS,
  NOTHING_KNOWN,
  type Canonicalizer,
  type Facts,
  type Knowledge,
  type Origins,
} from "../../../../src/state/index.ts";
import { Canonicalizer as State } from "../../../../src/state/canonical/canonicalizer.ts";
import { JSON_TEXT } from "../../../../src/state/values/places.ts";
import { CLOCK, stored, table, uuids, type Rows } from "../support.ts";

beforeAll(loadHasher);

const iso = (ms: number): string => new Date(ms).toISOString();
const written = (column: string) => ({
  place: JSON.stringify(["tables", "db", ...column.split(".")]),
  after: "",
  resolutionMs: 1,
  base: "step" as const,
});

/** A lane's canonicalizer that knows columns which hold times. */
function knowing(...columns: readonly string[]): Canonicalizer {
  return knowingPlaces(...columns.map(written));
}

function knowingPlaces(...times: Knowledge["times"]): Canonicalizer {
  const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
  const canonical = new State(options, { ...NOTHING_KNOWN, times });
  canonical.root(stored(table("member", "*id at", []), table("session", "*id at", [])));
  return canonical;
}

const rows = (member: readonly number[], session: readonly number[]): Facts =>
  stored(
    table(
      "member",
      "*id at",
      member.map((ms, index) => [`m${index}`, iso(ms)]),
    ),
    table(
      "session",
      "*id at",
      session.map((ms, index) => [`s${index}`, iso(ms)]),
    ),
  );

function step({ renamer }: Canonicalizer, facts: Facts, atMs: number, origins: Origins = NO_ORIGINS) {
  return renamer.observe(facts, origins, { action: "write", exchanges: [], startMs: atMs - 5, endMs: atMs + 5 });
}

function strictOf(canonical: Canonicalizer, facts: Facts): number {
  canonical.fingerprint(facts, { lo: 0, hi: 0 });
  return canonical.strict;
}

describe("a time that a step writes", () => {
  it("reads the same in a second look, also where it stands in a column before the one that is known to hold times", () => {
    const canonical = knowing("session.at");
    const seen = rows([CLOCK], [CLOCK]);
    const first = step(canonical, seen, CLOCK);
    const second = canonical.renamer.observe(seen, first.origins, undefined);
    expect(canonical.describe(first.facts)).toEqual(canonical.describe(second.facts));
  });

  it("has no order among the times of its step, which are equal or not by chance", () => {
    const canonical = knowing("member.at", "session.at");
    const equal = step(canonical, rows([CLOCK], [CLOCK]), CLOCK);
    const apart = step(canonical, rows([CLOCK], [CLOCK + 1]), CLOCK);
    expect(strictOf(canonical, apart.facts)).toBe(strictOf(canonical, equal.facts));
  });

  it("has the same name in milliseconds, whole seconds and whole minutes, if experiments showed these resolutions", () => {
    const MINUTE = 60_000;
    const canonical = knowingPlaces({ ...written("member.at"), coarserMs: [1_000, MINUTE], offsets: [0, 5 * MINUTE] });
    const begin = Math.floor(CLOCK / MINUTE) * MINUTE + 17_345;
    const named = (ms: number): number => strictOf(canonical, step(canonical, rows([ms], []), begin).facts);
    const now = named(begin);
    const ahead = named(begin + 5 * MINUTE);
    expect(now).not.toBe(ahead);
    for (const unit of [1_000, MINUTE]) {
      expect(named(begin - (begin % unit))).toBe(now);
      expect(named(begin - (begin % unit) + 5 * MINUTE)).toBe(ahead);
    }
    // A distance that no experiment showed: the begin of the next minute lies in the future.
    expect(named(begin - (begin % MINUTE) + MINUTE)).not.toBe(now);
  });

  it("has an order among the times of other rows that its step wrote at least 2 ms before or after it", () => {
    const canonical = knowing("member.at");
    const ofRows = (...apart: readonly number[]): number => {
      const facts = rows(
        apart.map((ms) => CLOCK + ms),
        [],
      );
      return strictOf(canonical, step(canonical, facts, CLOCK).facts);
    };
    expect(ofRows(0, 1)).toBe(ofRows(0, 0));
    expect(ofRows(2, 0)).not.toBe(ofRows(0, 2));
    expect(ofRows(0, 4)).toBe(ofRows(0, 2));
  });

  it("has an order among the times of other steps", () => {
    const canonical = knowing("member.at", "session.at");
    const after = (member: readonly number[], session: readonly number[]): Facts => {
      const before = step(canonical, rows(member, session), CLOCK);
      const second = rows(member.length > 0 ? member : [CLOCK + 50], session.length > 0 ? session : [CLOCK + 50]);
      return step(canonical, second, CLOCK + 50, before.origins).facts;
    };
    const memberFirst = strictOf(canonical, after([CLOCK], []));
    expect(canonical.forgotten.size).toBe(2);
    expect(strictOf(canonical, after([], [CLOCK]))).not.toBe(memberFirst);
  });

  it("that is derived from a stored one belongs to the step of that one", () => {
    const HOUR = 3_600_000;
    const canonical = knowingPlaces(written("member.at"), { ...written("session.at"), base: "stored" });
    const first = step(canonical, rows([CLOCK], []), CLOCK);
    const second = step(canonical, rows([CLOCK, CLOCK + 50], []), CLOCK + 50, first.origins);
    const due = (...session: readonly number[]): number =>
      strictOf(canonical, step(canonical, rows([CLOCK, CLOCK + 50], session), CLOCK + 900, second.origins).facts);
    expect(due(CLOCK + HOUR, CLOCK + 50 + HOUR)).not.toBe(due(CLOCK + 50 + HOUR, CLOCK + HOUR));
  });

  describe("at a place where both offsets from a step and distances from stored times occur", () => {
    const DAY = 86_400_000;
    const lease = { ...written("session.at"), resolutionMs: 1_000, offsets: [30 * DAY] };
    /** The state after a session was written whose end lies `afterMs` after that of a member of the root state, at another age of the member. */
    const ended = (place: Knowledge["times"][number], endMs: (memberMs: number, nowMs: number) => number, ageMs: number): number => {
      const canonical = knowingPlaces({ ...written("member.at"), offsets: [30 * DAY] }, place);
      const member = CLOCK + 30 * DAY;
      canonical.root(stored(table("member", "*id at", [["m0", iso(member)]]), table("session", "*id at", [])), {
        startMs: CLOCK,
        endMs: CLOCK,
      });
      return strictOf(canonical, step(canonical, rows([member], [endMs(member, CLOCK + ageMs)]), CLOCK + ageMs).facts);
    };

    it.each(["step", "stored"] as const)("one that is a learnt offset from its step is named by it (%s)", (base) => {
      const names = [1_000, 3_600_000].map((ageMs) => ended({ ...lease, base }, (_member, now) => now + 30 * DAY, ageMs));
      expect(names[1]).toBe(names[0]);
    });

    it("one that no learnt offset explains is named by its distance from a stored time", () => {
      const names = [2_700, 61_300, 3_600_000].map((ageMs) => ended(lease, (member) => member + 30 * DAY, ageMs));
      expect(names).toEqual([names[0], names[0], names[0]]);
      expect(ended(lease, (member) => member + 60 * DAY, 2_700)).not.toBe(names[0]);
    });

    it("one at an unknown, simple offset from its step keeps it, whatever whole seconds lie between it and stored times", () => {
      const names = [17_000, 95_000].map((ageMs) => ended(lease, (_member, now) => now + 3_600_000, ageMs));
      expect(names[1]).toBe(names[0]);
    });
  });

  it.each([
    ["far from the present", iso(Date.UTC(9999, 11, 31)), []],
    ["that was equal in two executions", iso(CLOCK + 100 * 86_400_000), [CLOCK + 100 * 86_400_000]],
    ["that is the end of today in two executions", iso(CLOCK + 43_199_999), [CLOCK + 43_199_999]],
  ])("is not one %s, whenever the step runs", (_what, text, constants) => {
    const canonical = knowingPlaces({ ...written("member.at"), base: "stored", offsets: [0], constants }, written("session.at"));
    const ended = (apartMs: number, last = text): number => {
      const first = step(canonical, rows([], [CLOCK + 7]), CLOCK + 7);
      const both = { ...stored(table("member", "*id at", [["m", last]]), table("session", "*id at", [["s", iso(CLOCK + 7)]])) };
      return strictOf(canonical, step(canonical, both, CLOCK + apartMs, first.origins).facts);
    };
    const fixed = [90, 1_007, 61_300].map((apartMs) => ended(apartMs));
    expect(new Set(fixed).size).toBe(1);
    expect(ended(90, iso(CLOCK + 90))).not.toBe(fixed[0]);
  });

  it.each([
    ["two years", Date.UTC(2027, 10, 21, 12), (ms: number) => iso(ms)],
    ["a hundred years", Date.UTC(2125, 10, 21, 12), (ms: number) => iso(ms)],
    ["two years, in seconds", Date.UTC(2027, 10, 21, 12), (ms: number) => Math.floor(ms / 1_000)],
  ])("that it lays %s ahead at a place of shorter offsets has one name, whenever the step runs", (_what, target, textOf) => {
    const resolutionMs = typeof textOf(CLOCK) === "number" ? 1_000 : 1;
    const canonical = knowingPlaces({ ...written("member.at"), resolutionMs, offsets: [30 * 86_400_000] });
    const ended = (atMs: number, value: string | number): number =>
      strictOf(canonical, step(canonical, stored(table("member", "*id at", [["m", value]]), table("session", "*id at", [])), atMs).facts);
    const far = [90, 1_007, 61_300].map((apartMs) => ended(CLOCK + apartMs, textOf(target + apartMs)));
    expect(new Set(far).size).toBe(1);
    expect(ended(CLOCK, textOf(CLOCK + 30 * 86_400_000))).not.toBe(far[0]);
  });

  it("is not a copy of another one that is equal to it by chance, and a copy is one, whenever the steps run", () => {
    const MINUTE = 60_000;
    const SECOND = Math.floor(CLOCK / 1_000) * 1_000;
    const seconds = { resolutionMs: 1_000 };
    const canonical = knowingPlaces(
      { ...written("member.at"), ...seconds, offsets: [0] },
      { ...written("session.at"), ...seconds, offsets: [-MINUTE] },
    );
    // A step writes the present time to member.at, a later one the time a minute ago to session.at, and a third one writes nothing.
    const ended = (apartMs: number, givenMs = SECOND + apartMs - MINUTE): number => {
      const first = step(canonical, rows([SECOND], []), SECOND);
      const both = rows([SECOND], [givenMs]);
      const second = step(canonical, both, SECOND + apartMs, first.origins);
      const third = step(canonical, both, SECOND + apartMs + MINUTE, second.origins);
      expect(strictOf(canonical, third.facts)).toBe(strictOf(canonical, second.facts));
      return strictOf(canonical, third.facts);
    };
    const apart = ended(5_000);
    expect(ended(MINUTE)).toBe(apart);
    const copied = ended(5_000, SECOND);
    expect(copied).not.toBe(apart);
    expect(ended(7_000, SECOND)).toBe(copied);
  });

  it("does not pass before that step is looked at a second time", () => {
    const canonical = knowing("session.at");
    const now = Date.now();
    const soon = now - 1;
    // Written as a time that lies ahead of the step, and over by now.
    const seen = step(canonical, rows([soon], [soon]), now - 1000);
    expect(canonical.describe(seen.facts).join()).not.toMatch(/passed|!/);
    const columns = [...seen.origins.times.values()];
    expect(columns.map(({ isFuture, isPassed }) => [isFuture, isPassed])).toEqual([[true, undefined]]);
  });
});

describe("ids that one step made and that follow the time", () => {
  const knowingIds = (...ordered: readonly string[]): Canonicalizer => {
    const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [], ordered };
    const generated = [{ ...written("member.id"), domain: undefined }];
    const canonical = new State(options, { ...NOTHING_KNOWN, generated, ordered });
    canonical.root(stored(table("member", "*id at", [])));
    return canonical;
  };
  const made = (canonical: Canonicalizer, ...ids: readonly string[]): Facts =>
    step(canonical, stored(table("member", "*id at", [[ids[0]!, "paid"], ...ids.slice(1).map((id) => [id, "open"])])), CLOCK).facts;

  it.each([
    ["ULIDs that ascend in one millisecond", "01JDPM5N8ZQ4X7V2T9R6K3M1H0", "01JDPM5N8ZQ4X7V2T9R6K3M1H1", true],
    ["ULIDs of two milliseconds", "01JDPM5N8ZQ4X7V2T9R6K3M1H0", "01JDPM5N91A4X7V2T9R6K3M1H1", true],
    ["ULIDs that are drawn in one millisecond", "01JDPM5N8ZQ4X7V2T9R6K3M1H0", "01JDPM5N8ZA4X7V2T9R6K3M1H1", false],
    ["UUIDs of version 7", "01936f5e-1a2b-7c3d-8e4f-5a6b7c8d9e0f", "01936f5e-1a2b-7c3e-9e4f-1a6b7c8d9e0f", true],
    ["UUIDs of version 4", "9c858901-8a57-4791-81fe-4c455b099bc9", "16fd2706-8baf-433b-82eb-8c7fada847da", false],
    ["ObjectIds", "6746d1f0a3b4c5d6e7f80910", "6746d1f0a3b4c5d6e7f80911", true],
    ["snowflakes as text", "1311532871237419008", "1311532871237419009", true],
    ["nanoids", "V1StGXR8_Z5jdHi6B-myT", "bO2Kq9xLw3Zt7Yv5Rn1Pc", false],
  ])("%s", (_what, first, second, isOrdered) => {
    const canonical = knowingIds();
    const ofFirst = strictOf(canonical, made(canonical, first, second));
    expect(strictOf(canonical, made(canonical, second, first)) !== ofFirst).toBe(isOrdered);
    expect(canonical.forgotten.has(written("member.id").place)).toBe(true);
    const ordering = knowingIds(written("member.id").place, FULL_ORDER);
    const names = [made(ordering, first, second), made(ordering, second, first)].map((facts) => ordering.nameOf(facts).split(".")[0]);
    expect(names[0] !== names[1]).toBe(isOrdered);
  });
});

describe("integer keys below zero", () => {
  it("have one name, also in the root state, whatever their values are", () => {
    const { place } = written("member.id");
    const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
    const strict = (root: number, first: number, second: number): number => {
      const canonical = new State(options, { ...NOTHING_KNOWN, generated: [{ place, after: "", domain: place }] });
      canonical.root(stored(table("member", "*id at", [[root, "root"]])));
      const made: Rows = [
        [first, "paid"],
        [second, "open"],
      ];
      return strictOf(
        canonical,
        step(canonical, stored(table("member", "*id at", [[root, "changed"], ...made], [[root, "root"]])), CLOCK).facts,
      );
    };
    expect(strict(-3, -7, -8)).toBe(strict(-1, -2, -12));
    expect(strict(-3, -8, -7)).not.toBe(strict(-3, -7, -8));
  });
});

describe("steps that made ids and steps that wrote times", () => {
  it.each([
    [[], true],
    [[FULL_ORDER], false],
  ])("are ordered together with %j", (more, isAlike) => {
    const places = [written("member.id").place, written("session.at").place];
    const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
    const ordered = [...places, ...more];
    const canonical = new State(
      { ...options, ordered },
      { ...NOTHING_KNOWN, generated: [{ ...written("member.id"), domain: undefined }], times: [written("session.at")], ordered },
    );
    canonical.root(stored(table("member", "*id at", []), table("session", "*id at", [])));
    const id = "9c858901-8a57-4791-81fe-4c455b099bc9";
    const facts = (hasId: boolean, atMs: number): Facts =>
      stored(table("member", "*id at", hasId ? [[id, "token"]] : []), table("session", "*id at", [["s", iso(atMs)]]));
    const nameOf = (idFirst: boolean): string => {
      const before = step(canonical, facts(idFirst, CLOCK), CLOCK);
      const last = step(canonical, facts(true, idFirst ? CLOCK + 50 : CLOCK), CLOCK + 50, before.origins);
      return canonical.nameOf(last.facts).split(".")[0]!;
    };
    expect(nameOf(true) === nameOf(false)).toBe(isAlike);
  });
});

describe("a JWT whose times are whole seconds", () => {
  const SECOND = Math.floor(CLOCK / 1_000);
  const DAY = 86_400;
  const claim = (name: string, offsets: readonly number[]) => ({
    place: JSON.stringify(["context", "token", "{jwt}", "claims", name]),
    after: "",
    resolutionMs: 1_000,
    base: "step" as const,
    offsets,
  });
  const times = [claim("iat", [0]), claim("exp", [DAY * 1_000])];
  const tokenOf = (iat: number, signature: string): string => {
    const [head, body] = [{ alg: "HS256" }, { sub: "1", iat, exp: iat + DAY }].map((part) =>
      Buffer.from(JSON.stringify(part)).toString("base64url"),
    );
    return `${head}.${body}.${signature}`;
  };
  const state = (token: string): Facts => ({ ...stored(), context: { token } });
  /**
   * Signs a token, and then looks at it after another step, which ran where the stores are called `atStores` and was answered with `answer`. Each step
   * reads `mails`.
   */
  const after = (
    second: string,
    action: string,
    answer: string,
    atStores: string | undefined,
    { ordered = [], mails = "[]" }: { readonly ordered?: readonly string[]; readonly mails?: string } = {},
  ) => {
    const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [], ordered };
    const canonical = new State(options, { ...NOTHING_KNOWN, times, ordered });
    canonical.root(stored());
    canonical.renamer.clock = { now: () => CLOCK, aheadMs: 0 };
    const first = tokenOf(SECOND, "one");
    const run = (token: string, name: string, said: string, atMs: number, origins: Origins) =>
      canonical.renamer.observe(state(token), origins, {
        action: name,
        exchanges: [
          { method: "POST", path: `/${name}`, body: "", acting: " ", answer: said },
          { method: "GET", path: "/mails", body: "", acting: " ", answer: mails },
        ],
        startMs: atMs,
        endMs: atMs + 5,
      });
    const signed = run(first, "login", first, SECOND * 1_000 + 10, NO_ORIGINS);
    const before = canonical.nameOf(signed.facts);
    const last = run(second, action, answer, SECOND * 1_000 + (second.includes(tokenOf(SECOND, "")) ? 40 : 1_020), {
      ...signed.origins,
      atStores,
    });
    const name = canonical.nameOf(last.facts);
    // Another look at the same state reads the same.
    expect(canonical.nameOf(canonical.renamer.observe(state(second), last.origins, undefined).facts)).toBe(name);
    return { before, name };
  };
  const [same, other, later] = [tokenOf(SECOND, "one"), tokenOf(SECOND, "two"), tokenOf(SECOND + 1, "three")];

  it.each([[[]], [times.map(({ place }) => contentOf(place))]])("that is signed again where the stores differ, with %j", (ordered) => {
    const all = [same, other, later].map((token) => after(token, "login", JSON.stringify({ token }), "v2", { ordered }));
    expect(all.map(({ name }) => name)).toEqual([all[0]!.name, all[0]!.name, all[0]!.name]);
    expect(all[0]!.name).not.toBe(all[0]!.before);
    expect(all[0]!.name.split(".")[0] !== all[0]!.before.split(".")[0]).toBe(ordered.length > 0);
  });

  it("and that is signed again where the stores are the same is the same token", () => {
    for (const token of [same, later]) {
      const { name, before } = after(token, "login", token, undefined);
      expect(name).toBe(before);
    }
  });

  it("and that a step received to send it back keeps the step that signed it", () => {
    const echoed = after(same, "inspect", JSON.stringify({ token: same, isValid: false }), "v2");
    expect(echoed.name).toBe(echoed.before);
    const kept = after(same, "login", "{}", "v2");
    expect(kept.name).toBe(kept.before);
  });

  it("and that a step which writes only lists among other tokens keeps the step that signed it", () => {
    const listed = after(same, "login", "{}", "v2", { mails: JSON.stringify([{ token: later }, { token: same }]) });
    expect(listed.name).toBe(listed.before);
  });
});

describe("the form of a state without the order of generation", () => {
  it("is the same for an execution with two steps in one second and one with two steps in two seconds, also if the order matters", () => {
    const times = ["member.at", "session.at"].map((column) => ({ ...written(column), resolutionMs: 1_000, offsets: [0] }));
    const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
    const canonical = new State({ ...options, ordered: times.map(({ place }) => place) }, { ...NOTHING_KNOWN, times });
    canonical.root(stored(table("member", "*id at", []), table("session", "*id at", [])));
    const second = Math.floor(CLOCK / 1_000) * 1_000;
    const [one, two] = [0, 1_000].map((apartMs) => {
      const before = step(canonical, rows([second], []), second + 10);
      return step(canonical, rows([second], [second + apartMs]), second + apartMs + 30, before.origins).facts;
    });
    expect(canonical.nameOf(two!)).not.toBe(canonical.nameOf(one!));
    expect(canonical.unordered(two!)).toEqual(canonical.unordered(one!));
  });
});

describe("a time of the root state", () => {
  it("has the same name in a row that was removed, whenever the root state was made", () => {
    const fingerprintOf = (ms: number): object => {
      const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
      const canonical = new State(options, { ...NOTHING_KNOWN, times: [written("member.at")] });
      canonical.root(stored(table("member", "*id at", [["m", iso(ms)]])), { startMs: ms - 5, endMs: ms + 5 });
      const out = { lo: 0, hi: 0 };
      canonical.fingerprint(step(canonical, stored(table("member", "*id at", [], [["m", iso(ms)]])), ms + 100).facts, out);
      return out;
    };
    expect(fingerprintOf(CLOCK)).toEqual(fingerprintOf(CLOCK + 777));
  });

  it("is not the time of a row that a step added in the second of setup", () => {
    const second = Math.floor(CLOCK / 1_000) * 1_000;
    const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
    const times = [{ ...written("member.at"), resolutionMs: 1_000, offsets: [0] }];
    const before = [["m", iso(second), "open"]];
    // The step adds a row, and also changes the row of setup, whose time stays the same.
    const named = (apartMs: number, isChanged: boolean): readonly string[] => {
      const canonical = new State(options, { ...NOTHING_KNOWN, times });
      canonical.root(stored(table("member", "*id at state", before)), { startMs: second + 5, endMs: second + 10 });
      const atMs = second + apartMs + 20;
      const added = [["n", iso(second + apartMs), "open"], ...(isChanged ? [["m", iso(second), "paid"]] : [])];
      const facts = stored(table("member", "*id at state", added, isChanged ? before : []));
      const { origins, ...first } = step(canonical, facts, atMs);
      const again = step(canonical, facts, atMs + 60_000, origins);
      return [first, again].map((one) => canonical.nameOf(one.facts));
    };
    for (const isChanged of [false, true]) {
      const [apart] = named(1_000, isChanged);
      expect(named(1_000, isChanged)).toEqual([apart, apart]);
      expect(named(0, isChanged)).toEqual([apart, apart]);
    }
  });

  describe("in a row that did not change", () => {
    const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: ["session.at"], symmetric: [], placeholders: [], masked: [] };
    const DUE = CLOCK + 60_000;
    /** The root state has the rows `m` and `n`, of which each has a time, and a row with another time in a column that is left out. */
    const observing = (): ((facts: Facts, atMs: number) => { readonly strict: number; readonly passed: number }) => {
      const canonical = new State(options);
      const root = [table("member", "*id at", [["m", iso(DUE)]]), table("session", "*id at", [["s", iso(DUE + 1)]])];
      canonical.root(stored(...root), { startMs: CLOCK - 5, endMs: CLOCK });
      let nowMs = CLOCK;
      canonical.renamer.clock = { now: () => nowMs, aheadMs: 0 };
      const { origins } = canonical.renamer.observe(stored(), NO_ORIGINS, undefined);
      expect([...origins.times.keys()]).toEqual([DUE]);
      return (facts, atMs) => {
        nowMs = atMs;
        const seen = canonical.renamer.observe(facts, origins, undefined);
        return { strict: strictOf(canonical, seen.facts), passed: [...seen.origins.times.values()].filter((one) => one.isPassed).length };
      };
    };

    it("makes another state when it has passed, although no observed row has it", () => {
      const observe = observing();
      const before = observe(stored(), DUE - 1);
      const after = observe(stored(), DUE + 1);
      expect([before.passed, after.passed]).toEqual([0, 1]);
      expect(after.strict).not.toBe(before.strict);
    });

    it("makes none after the row was removed", () => {
      const observe = observing();
      const without = stored(table("member", "*id at", [], [["m", iso(DUE)]]));
      expect(observe(without, DUE + 1)).toEqual(observe(without, DUE - 1));
    });
  });
});

describe("the request that made a value", () => {
  it("is found in a long body without punctuation", () => {
    const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
    const generated = [{ place: written("member.id").place, after: "", domain: undefined }];
    const canonical = new State(options, { ...NOTHING_KNOWN, generated });
    canonical.root(stored(table("member", "*id at", [])));
    // A pattern that began at each position of the body needed 2e10 steps here.
    const exchange = { method: "POST", path: "/members", body: "a".repeat(200_000), acting: "", answer: "made-value-1" };
    const { origins } = canonical.renamer.observe(stored(table("member", "*id at", [["made-value-1", ""]])), NO_ORIGINS, {
      action: "create",
      exchanges: [exchange],
      startMs: CLOCK,
      endMs: CLOCK,
    });
    expect(origins.ids.size).toBe(1);
  });

  it.each([
    ["10 digits, as a time in seconds", "1764000001", "1763999123"],
    ["13 digits, as a time in milliseconds", "1764000001234", "1763999123987"],
    ["a snowflake", "1763876143564800000", "1762876143564812345"],
  ])("is the same request with another id of %s", (_what, ...ids) => {
    const place = (column: string) => ({ place: JSON.stringify(["tables", "db", ...column.split(".")]), after: "", domain: undefined });
    const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
    const label = (id: string): string => {
      const canonical = new State(options, { ...NOTHING_KNOWN, generated: [place("member.id"), place("session.id")] });
      canonical.root(stored(table("member", "*id", []), table("session", "*id", [])));
      const window = { startMs: CLOCK, endMs: CLOCK };
      const first = canonical.renamer.observe(stored(table("member", "*id", [[id]]), table("session", "*id", [])), NO_ORIGINS, {
        action: "join",
        exchanges: [],
        ...window,
      });
      const made = `session-of-${id}`;
      const second = canonical.renamer.observe(stored(table("member", "*id", [[id]]), table("session", "*id", [[made]])), first.origins, {
        action: "open",
        exchanges: [{ method: "POST", path: `/members/${id}/sessions`, body: "", acting: " ", answer: made }],
        ...window,
      });
      return second.origins.ids.get(made)!.label;
    };
    expect(label(ids[1]!)).toBe(label(ids[0]!));
  });

  const seconds = (ms: number): string => String(Math.floor(ms / 1_000));
  it.each([
    ["in a body", "text", (ms: number) => ({ path: "/c", body: JSON.stringify({ seen: iso(ms) }) })],
    ["in a query", "text", (ms: number) => ({ path: `/c?before=${iso(ms)}`, body: "" })],
    ["in an encoded query", "text", (ms: number) => ({ path: `/c?before=${encodeURIComponent(iso(ms))}`, body: "" })],
    ["as a number", "number", (ms: number) => ({ path: "/c", body: JSON.stringify({ seen: Number(seconds(ms)) }) })],
  ])("is the same request with a stored time %s, whatever the age of the time", (_what, form, sent) => {
    const label = (ageMs: number, isOfRoot: boolean, startMs = CLOCK): string => {
      const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
      const place = { place: written("session.id").place, after: "", domain: undefined };
      const canonical = new State(options, { ...NOTHING_KNOWN, generated: [place], times: [{ ...written("member.at"), offsets: [0] }] });
      const at = form === "text" ? iso(startMs) : Number(seconds(startMs));
      const member = table("member", "*id at", [["m", at]]);
      canonical.root(stored(...(isOfRoot ? [member] : []), table("session", "*id", [])), { startMs: startMs - 5, endMs: startMs + 5 });
      const [before, after] = [[], [["made-value-1"]]].map((rows) => stored(member, table("session", "*id", rows))) as [Facts, Facts];
      const first = step(canonical, before, startMs);
      const atMs = startMs + ageMs;
      const exchanges = [{ method: "POST", ...sent(startMs), acting: " ", answer: "made-value-1" }];
      const second = canonical.renamer.observe(after, first.origins, { action: "comment", exchanges, startMs: atMs, endMs: atMs + 5 });
      return second.origins.ids.get("made-value-1")!.label;
    };
    for (const isOfRoot of [false, true]) {
      expect(label(300_000, isOfRoot)).toBe(label(10, isOfRoot));
      expect(label(300_000, isOfRoot, CLOCK + 86_400_000)).toBe(label(10, isOfRoot));
    }
  });

  it.each([
    ["two years ahead", (ms: number) => ({ until: iso(ms + 730 * 86_400_000) })],
    ["two years ahead, in milliseconds", (ms: number) => ({ until: ms + 730 * 86_400_000 })],
    ["in seconds with a fraction, as text", (ms: number) => ({ at: ((ms + 17) / 1_000).toFixed(6) })],
    ["in the notation of a language", (ms: number) => ({ at: new Date(ms).toLocaleString("en-US") })],
    ["in the notation of a language, as the whole body", (ms: number) => new Date(ms).toLocaleString("de-DE")],
    ["as String(date)", (ms: number) => ({ at: String(new Date(ms)) })],
  ])("is the same request whenever it is sent, with a time %s", (_what, bodyOf) => {
    const label = (atMs: number, body = bodyOf(atMs)): string => {
      const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
      const place = { place: written("session.id").place, after: "", domain: undefined };
      const canonical = new State(options, { ...NOTHING_KNOWN, generated: [place] });
      canonical.root(stored(table("session", "*id", [])));
      const sent = typeof body === "string" ? body : JSON.stringify(body);
      const exchanges = [{ method: "POST", path: "/c", body: sent, acting: " ", answer: "made-value-1" }];
      const after = stored(table("session", "*id", [["made-value-1"]]));
      const { origins } = canonical.renamer.observe(after, NO_ORIGINS, {
        action: "comment",
        exchanges,
        startMs: atMs - 5,
        endMs: atMs + 5,
      });
      return origins.ids.get("made-value-1")!.label;
    };
    expect(label(CLOCK + 61_300)).toBe(label(CLOCK));
    expect(label(CLOCK, bodyOf(CLOCK - 3_600_000))).not.toBe(label(CLOCK));
  });

  it("is another request with another time far from the present, but the same one whenever it is sent", () => {
    const label = (atMs: number, until: string): string => {
      const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
      const place = { place: written("session.id").place, after: "", domain: undefined };
      const canonical = new State(options, { ...NOTHING_KNOWN, generated: [place] });
      canonical.root(stored(table("session", "*id", [])));
      const exchanges = [{ method: "POST", path: "/c", body: JSON.stringify({ until }), acting: " ", answer: "made-value-1" }];
      const after = stored(table("session", "*id", [["made-value-1"]]));
      const { origins } = canonical.renamer.observe(after, NO_ORIGINS, { action: "comment", exchanges, startMs: atMs, endMs: atMs + 5 });
      return origins.ids.get("made-value-1")!.label;
    };
    expect(label(CLOCK + 61_300, "9999-12-31T23:59:59Z")).toBe(label(CLOCK, "9999-12-31T23:59:59Z"));
    expect(label(CLOCK, "9999-12-31T23:59:58Z")).not.toBe(label(CLOCK, "9999-12-31T23:59:59Z"));
  });

  const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const jwt = (sid: string): string => `${base64({ alg: "HS256" })}.${base64({ sid })}.${sid.repeat(2)}`;
  const signedAt = Buffer.alloc(4);
  signedAt.writeUInt32BE(Math.floor(Date.now() / 1_000));
  const flask = (sid: string): string => `${base64({ sid })}.${signedAt.toString("base64url")}.${"s".repeat(27)}`;
  const cookies = ["lUJ9eo2WROhI.JNTpGJ0JOxs%2Bq%3D", "Ot79nnSdLZAF.5FCDkhOHkTx%3D"] as const;

  it.each([
    ["a signed cookie", cookies, (secret: string) => ({ acting: ` sid=${secret}`, body: "" })],
    ["a token in a body", cookies, (secret: string) => ({ acting: " ", body: JSON.stringify({ refresh: secret }) })],
    // No row contains the id of the session, because the session was deleted.
    ["a JWT in a header", [jwt("5e5510a1"), jwt("5e5510b2")], (secret: string) => ({ acting: `JWT ${secret}`, body: "" })],
    [
      "a JWT in a body",
      [jwt("5e5510a1"), jwt("5e5510b2")],
      (secret: string) => ({ acting: " ", body: JSON.stringify({ refresh: secret }) }),
    ],
    [
      "a text that is signed with a time",
      [flask("5e5510a1"), flask("5e5510b2")],
      (secret: string) => ({ acting: ` sid=${secret}`, body: "" }),
    ],
    [
      "a signed cookie in base64",
      ["lUJ9eo2WROhI.JNTpGJ0JOxs%2Bq%3D", "Ot79nnSdLZAF.5FCDkhOHkTx%3D"],
      (secret: string) => ({ acting: ` sid=${secret}`, body: "" }),
    ],
    [
      "the content of a session in base64, as cookie-session and koa-session store it",
      ["eyJ1IjoxLCJ0/jo+MX0=", "eyJ1IjoxL+0IjoyMn0="],
      (secret: string) => ({ acting: ` sid=${secret}`, body: "" }),
    ],
  ] as const)("is the same request with another secret: %s", (_what, secrets, sent) => {
    const place = (column: string) => ({ place: JSON.stringify(["tables", "db", ...column.split(".")]), after: "", domain: undefined });
    const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
    const canonical = new State(options, { ...NOTHING_KNOWN, generated: [place("member.at"), place("session.at")] });
    canonical.root(stored(table("member", "*id at", []), table("session", "*id at", [])));
    const label = (secret: string, made: string): string => {
      const first = canonical.renamer.observe(
        stored(table("member", "*id at", [["m", secret]]), table("session", "*id at", [])),
        NO_ORIGINS,
        {
          action: "login",
          exchanges: [{ method: "POST", path: "/login", body: "{}", acting: " ", answer: secret }],
          startMs: CLOCK,
          endMs: CLOCK,
        },
      );
      const both = stored(table("member", "*id at", [["m", secret]]), table("session", "*id at", [["s", made]]));
      const second = canonical.renamer.observe(both, first.origins, {
        action: "order",
        exchanges: [{ method: "POST", path: "/orders", ...sent(secret), answer: made }],
        startMs: CLOCK,
        endMs: CLOCK,
      });
      return [...second.origins.ids].find(([key]) => key.includes(made))![1].label;
    };
    expect(label(secrets[0], "first-made-value")).toBe(label(secrets[1], "other-made-value"));
  });
});

describe("an id in a request", () => {
  const counter = (...segments: readonly string[]) => {
    const place = JSON.stringify(segments);
    return { place, after: "", domain: place };
  };
  const orders = counter("tables", "db", "Orders", "id");
  const events = counter("tables", "db", "Events", "id");
  const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };

  /** The label of an event that a call about an order wrote. The ids of orders and events begin at `order` and `event`. */
  const label = ({ path, body = "" }: { readonly path: string; readonly body?: string }, order: number, event: number): string => {
    const held = { ...orders, place: JSON.stringify(["context", "order"]) };
    const canonical = new State(options, { ...NOTHING_KNOWN, generated: [orders, events, held] });
    const facts = (ids: readonly number[], context: object): Facts => ({
      ...stored(
        table("Orders", "*id", [[order]]),
        table(
          "Events",
          "*id",
          ids.map((id) => [id]),
        ),
      ),
      context: context as Facts["context"],
    });
    canonical.root({ ...stored(), context: {} as Facts["context"] });
    const sent = (where: string, json: string) => [{ method: "POST", path: where, body: json, acting: " ", answer: "{}" }];
    const window = { startMs: CLOCK, endMs: CLOCK };
    const first = canonical.renamer.observe(facts([event], { order }), NO_ORIGINS, {
      action: "order",
      exchanges: sent("/orders", ""),
      ...window,
    });
    const filled = [path, body].map((text) => text.replace("ID", String(order))) as [string, string];
    const second = canonical.renamer.observe(facts([event, event + 1], { order }), first.origins, {
      action: "pay",
      exchanges: sent(...filled),
      ...window,
    });
    return [...second.origins.ids].find(([key]) => key.endsWith(`:${event + 1}`) && key.includes("Events"))![1].label;
  };

  it.each([
    ["in a path after the name of its table", { path: "/orders/ID/pay" }],
    ["in a path after another word", { path: "/pay/ID" }],
    ["in JSON, named after its table", { path: "/pay", body: '{"order":ID}' }],
    ["in JSON, named as an id", { path: "/pay", body: '{"parentId":"ID"}' }],
    ["in a query, named after its table", { path: "/pay?order_id=ID" }],
  ])("%s is the same for every pair of counters, also if an event has the same number by chance", (_which, call) => {
    const apart = label(call, 7, 40);
    expect(label(call, 8, 50)).toBe(apart);
    expect(label(call, 8, 8)).toBe(apart);
    expect(label(call, 9, 8)).toBe(apart);
  });

  it.each([
    ["an amount", { path: "/pay", body: '{"amount":7}' }],
    ["the id of another table", { path: "/products/7/buy" }],
    ["a page", { path: "/pay?page=7" }],
  ])("%s is a number as it is, also if an order has the same number by chance", (_which, call) => {
    expect(label(call, 7, 40)).toBe(label(call, 8, 40));
  });
});

describe("a column that shows the real time while the target's clock is ahead", () => {
  const DAY = 86_400_000;

  /** The columns that a step names at which the target's clock is `aheadMs` ahead. `CLOCK` is the real time. */
  const named = (canonical: Canonicalizer, facts: Facts, aheadMs: number, origins: Origins = NO_ORIGINS): readonly string[] => {
    canonical.renamer.clock = { now: () => CLOCK + aheadMs, aheadMs };
    step(canonical, facts, CLOCK + aheadMs, origins);
    return [...canonical.renamer.realTimeColumns];
  };

  it.each([
    ["the real time", CLOCK + 3, 10 * DAY, ["member.at"]],
    ["the target's time", CLOCK + 10 * DAY, 10 * DAY, []],
    ["another time", CLOCK - 60_000, 10 * DAY, []],
    ["the real time, with a clock that is hardly ahead", CLOCK, 60_000, []],
    ["the real time, with a clock that was not moved", CLOCK, 0, []],
  ])("is named or not, for %s", (_what, ms, aheadMs, expected) => {
    expect(named(knowing("member.at"), rows([ms], []), aheadMs)).toEqual(expected);
  });

  it("is not named for a time that was written before the clock was moved, nor for a copy of it", () => {
    const canonical = knowing("member.at", "session.at");
    const { origins } = step(canonical, rows([CLOCK], []), CLOCK);
    expect(named(canonical, rows([CLOCK], [CLOCK]), 10 * DAY, origins)).toEqual([]);
    expect(named(canonical, rows([CLOCK], [CLOCK + 1]), 10 * DAY, origins)).toEqual(["session.at"]);
  });
});

describe("JSON in a text that contains a generated value", () => {
  const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
  const nameOf = (generated: string, text: string): string => {
    const place = JSON.stringify(["tables", "db", "doc", "text", "{}", generated]);
    const canonical = new State(options, { ...NOTHING_KNOWN, generated: [{ place, after: "", domain: undefined }] });
    canonical.root(stored(table("doc", "*id text", [])));
    const { facts } = step(canonical, stored(table("doc", "*id text", [[1, text]])), CLOCK);
    return canonical.nameOf(facts).split(".")[0]!;
  };

  it("keeps the order of its keys, because a target can read them in this order", () => {
    const texts = ['{"id":"k3x9","a":1,"b":1}', '{"id":"q7w2","b":1,"a":1}', '{"id":"z5v8","a":1,"b":1}'];
    const [first, other, again] = texts.map((text) => nameOf("id", text));
    expect(other).not.toBe(first);
    expect(again).toBe(first);
  });

  it.each([
    ["the order of keys that look like integers", '{"id":ID,"cart":{"1":1,"2":1}}', '{"id":ID,"cart":{"2":1,"1":1}}'],
    ["the same, inside an array", '[ID,[{"1":1,"2":1}]]', '[ID,[{"2":1,"1":1}]]'],
    ["a number with and without a fraction", '{"id":ID,"a":1}', '{"id":ID,"a":1.0}'],
    ["zeros at the end of a fraction", '{"id":ID,"a":[1.5]}', '{"id":ID,"a":[1.50]}'],
    ["an exponent", '{"id":ID,"a":100}', '{"id":ID,"a":1e2}'],
    ["more digits than JavaScript keeps", '{"id":ID,"a":0.1234567890123456781}', '{"id":ID,"a":0.1234567890123456782}'],
  ])("keeps %s", (_what, first, other) => {
    const place = first.startsWith("[") ? "[]" : "id";
    const [one, two, again] = [first, other, first].map((text, index) =>
      nameOf(place, text.replace("ID", `"${["k3x9", "q7w2", "z5v8"][index]}"`)),
    );
    expect(two).not.toBe(one);
    expect(again).toBe(one);
  });

  it("is no object if a key occurs twice", () => {
    expect(nameOf("id", '{"id":"k3x9","a":1,"a":2}')).not.toBe(nameOf("id", '{"id":"k3x9","a":2}'));
  });

  it("keeps the spelling of numbers beside generated keys", () => {
    expect(nameOf("#key", '{"k3x9":1.50}')).not.toBe(nameOf("#key", '{"q7w2":1.5}'));
    expect(nameOf("#key", '{"k3x9":1.50}')).toBe(nameOf("#key", '{"q7w2":1.50}'));
  });

  it("has no white space and no escapes", () => {
    expect(nameOf("id", '{"id": "k3x9", "a": "\\u0041\\/"}')).toBe(nameOf("id", '{"id":"q7w2","a":"A/"}'));
  });

  it("has no order of generated keys, because many stores sort them", () => {
    expect(nameOf("#key", '{"k3x9":1,"q7w2":2}')).toBe(nameOf("#key", '{"v5r8":2,"t4m6":1}'));
  });
});

describe("a constant at a place of generated values", () => {
  const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
  const place = JSON.stringify(["tables", "db", "settings", "value"]);

  /** The strict form after a step wrote a setting, given the length of the generated values that experiments found. */
  const strict = (value: string, leastLength: number | undefined): number => {
    const canonical = new State(options, { ...NOTHING_KNOWN, generated: [{ place, after: "", domain: undefined, leastLength }] });
    canonical.root(stored(table("settings", "*key value", [])));
    return strictOf(canonical, step(canonical, stored(table("settings", "*key value", [["mode", value]])), CLOCK).facts);
  };

  it("keeps its value, if it is much shorter than these, or JSON", () => {
    expect(strict("live", 36)).not.toBe(strict("test", 36));
    expect(strict("1", 36)).not.toBe(strict("2", 36));
    expect(strict("a@example.com", 36)).not.toBe(strict("b@example.com", 36));
    const cart = (...items: readonly string[]): string => JSON.stringify({ items, currency: "EUR", note: "leave it at the door" });
    expect(strict(cart("pen"), 36)).not.toBe(strict(cart("pen", "ink"), 36));
    expect(strict("0b6d8d4e-7b63-4c0e-9f43-0d2d3c0a7e11", 36)).toBe(strict("9f1f2a8e-30a5-4b8c-8a55-27c8c1d0aa42", 36));
    // Short ids may consist of letters alone, and short random numbers have different lengths.
    expect(strict("123", 6)).toBe(strict("456", 6));
    expect(strict("abcd", 6)).toBe(strict("wxyz", 6));
    expect(strict("live", undefined)).toBe(strict("test", undefined));
  });
});

describe("a generated id before a counter in one text", () => {
  const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
  const state = (id: string, ref: string): Facts => ({ ...stored(table("jobs", "*n id ref", [[1, id, ref]])), context: { ref } });
  const executed = (startMs: number, id: string, ref: string) => ({
    facts: state(id, ref),
    window: { startMs, endMs: startMs + 5 },
  });

  it.each([":0", "-v1", "/1", "_1"])("is renamed without the counter, also in requests: %s", (rest) => {
    const [a, b, c, d] = uuids(4) as [string, string, string, string];
    const { generated, unexplained } = compareExecutions(executed(CLOCK, a, a + rest), executed(CLOCK + 1_234, b, b + rest), {
      known: NOTHING_KNOWN,
    });
    expect(unexplained).toEqual([]);
    const canonical = new State(options, { ...NOTHING_KNOWN, generated: [...generated, { place: written("session.id").place, after: "", domain: undefined }] }); // prettier-ignore
    canonical.root(stored(table("jobs", "*n id ref", []), table("session", "*id", [])));
    const named = (id: string, other: string): number => strictOf(canonical, step(canonical, state(id, other), CLOCK).facts);
    expect(named(c, c + rest)).toBe(named(d, d + rest));
    const later = rest.replace(/.$/, "9");
    expect(named(c, c + later)).toBe(named(d, d + later));
    expect(named(c, c + later)).not.toBe(named(c, c + rest));
    expect(named(c, d + rest)).not.toBe(named(c, c + rest));
    const label = (id: string): string => {
      const first = step(canonical, state(id, id + rest), CLOCK);
      const both: Facts = stored(table("jobs", "*n id ref", [[1, id, id + rest]]), table("session", "*id", [["made-value-1"]]));
      const exchanges = [{ method: "POST", path: `/jobs/${id}${rest}`, body: JSON.stringify({ ref: id + rest }), acting: " ", answer: "made-value-1" }]; // prettier-ignore
      const { origins } = canonical.renamer.observe(both, first.origins, { action: "retry", exchanges, startMs: CLOCK, endMs: CLOCK });
      return origins.ids.get("made-value-1")!.label;
    };
    expect(label(c)).toBe(label(d));
  });
});

describe("a Set with generated members", () => {
  const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
  const state = (members: readonly unknown[], token: unknown): Facts => ({
    ...stored(),
    systems: { memory: { kind: "value", value: { sessions: new Set(["admin", ...members]) } } },
    context: { token } as Facts["context"],
  });
  const executed = (members: readonly unknown[], token: unknown, startMs: number) => ({
    facts: state(members, token),
    window: { startMs, endMs: startMs + 5 },
  });

  it.each([
    ["texts", uuids(8)],
    ["integers", [11, 12, 13, 14, 15, 16, 17, 18]],
  ] as const)("has one name in all executions, and a copy of a member is the same value: %s", (_what, [a1, a2, b1, b2, c1, c2, d1, d2]) => {
    const [a, b] = [executed([a1, a2], a2, CLOCK), executed([b1, b2], b2, CLOCK + 1_234)];
    const { generated, times } = compareExecutions(a, b, { known: NOTHING_KNOWN });
    const strict = (members: readonly unknown[], token: unknown): number => {
      const canonical = new State(options, { ...NOTHING_KNOWN, generated, times });
      canonical.root(state([], ""));
      return strictOf(canonical, step(canonical, state(members, token), CLOCK).facts);
    };
    expect(strict([c1, c2], c2)).toBe(strict([d1, d2], d2));
    expect(strict([c1, c2], "none")).toBe(strict([d1, d2], "none"));
    expect(strict([c1, c2], c2)).not.toBe(strict([c1, c2], "none"));
    expect(strict([c1, c2], c2)).not.toBe(strict([c1], c2));
  });
});

it("gives sessions of express-session one name, however many milliseconds the lifetime of their cookie lacks", () => {
  const place = JSON.stringify(["tables", "db", "session", "at", JSON_TEXT, "cookie", "expires"]);
  const canonical = knowingPlaces({ place, after: "", resolutionMs: 1, base: "step" });
  const named = (originalMaxAge: number, expires: number): number => {
    const at = JSON.stringify({ cookie: { originalMaxAge, expires: iso(expires) } });
    return strictOf(canonical, step(canonical, stored(table("session", "*id at", [["s", at]])), expires - 86_400_000).facts);
  };
  expect(named(86_399_999, CLOCK + 86_400_000)).toBe(named(86_400_000, CLOCK + 86_400_000));
  expect(named(86_399_999, CLOCK + 86_400_000)).not.toBe(named(3_600_000, CLOCK + 86_400_000));
});

describe("a fixed key in Redis that begins like generated keys", () => {
  const columns = [{ name: "key", key: true, kind: true }, { name: "value" }];
  const placeOf = (column: string): string => JSON.stringify(["tables", "db", "string", column]);
  const key = { place: placeOf("key"), after: "user", domain: undefined, leastLength: 32 };
  const value = { place: placeOf(`value where {"key":"user:*"}`), after: "", domain: undefined, leastLength: 20 };
  const strict = (name: string, text: string, ofKey: object = {}): number => {
    const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
    const canonical = new State(options, { ...NOTHING_KNOWN, generated: [{ ...key, ...ofKey }, value] });
    canonical.root(stored({ name: "string", columns, added: [], removed: [] }));
    const facts = stored({ name: "string", columns, added: [[name, text]], removed: [] });
    return strictOf(canonical, step(canonical, facts, CLOCK).facts);
  };
  const [one, other] = ["9c1f0b6d8d4e7b634c0e9f430d2d3c0a", "a89f1f2a30a54b8c8a5527c8c1d0aa42"];
  const texts = ["read, write and send", "read, but nothing else"] as const;

  it("keeps its name and its value", () => {
    expect(strict(`user:${one}`, texts[0])).toBe(strict(`user:${other}`, texts[1]));
    for (const name of ["user:permissions_summary", "user:defaultSettingsOfAll", "user:settings.for.new.users"])
      expect(strict(name, texts[0])).not.toBe(strict(name, texts[1]));
    expect(strict("user:permissions_summary", texts[0])).not.toBe(strict("user:settings_of_new_users", texts[0]));
  });

  it("is a generated key if generated keys are words, too", () => {
    expect(strict("user:brave-friendly-otter", texts[0], { isLetters: true })).toBe(
      strict("user:gentle-tiny-badger", texts[1], { isLetters: true }),
    );
  });
});

describe("sessions in Redis, with ids in base64url", () => {
  const columns = [{ name: "key", key: true, kind: true }, { name: "value" }];
  const sessions = (id: string, ms: number): Facts =>
    stored({ name: "string", columns, added: [[`sess:${id}`, JSON.stringify({ expires: iso(ms), user: "ann" })]], removed: [] });
  const at = (ms: number) => ({ startMs: ms - 5, endMs: ms + 5 });
  // The first and the last id look like several words by chance.
  const ids = [
    "xdltYLR-RKRAZOqITTeTZ_jYqwcNJ",
    "-_Qk3x9Rt7bVq2ZsW4yLpA8cDf-Zr",
    "k3x9Rt7bVq2ZsW4yLpA8cDfGh5_mN",
    "ssoDte_jgJmG-zbXxJIMMLHhBsNty",
  ];

  it("have one kind, although some ids look like words", () => {
    const [a, b, ...others] = ids.map((id, index) => {
      const ms = CLOCK + index * 5_000;
      return { facts: sessions(id, ms), window: at(ms) };
    });
    const { generated, times, unexplained } = compareExecutions(a!, b!, { known: NOTHING_KNOWN });
    const kind = `value where {"key":"sess:*"}`;
    expect([...generated, ...times].map(({ place }) => JSON.parse(place))).toEqual([
      ["tables", "db", "string", "key"],
      ["tables", "db", "string", kind, JSON_TEXT, "expires"],
    ]);
    expect(unexplained).toEqual([]);
    const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
    const canonical = new State(options, { ...NOTHING_KNOWN, generated, times });
    canonical.root(stored({ name: "string", columns, added: [], removed: [] }));
    const prints = [a!, b!, ...others].map(({ facts, window }) => {
      const step = { action: "log_in", exchanges: [], ...window };
      return canonical.nameOf(canonical.renamer.observe(facts, NO_ORIGINS, step).facts);
    });
    expect(new Set(prints).size).toBe(1);
  });
});
