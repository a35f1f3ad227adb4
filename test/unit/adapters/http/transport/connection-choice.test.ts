import { describe, expect, it } from "vitest";
import { ConnectionChoice } from "../../../../../src/adapters/http/transport/connection-choice.ts";

const GET = { method: "GET", path: "/orders" };
const FAST = 1;
const DELAYED = 43;

/** Sends requests of one kind to a server that takes `ms(isNew)` and returns how many had a connection of their own. */
function send(choice: ConnectionChoice, times: number, ms: (isNew: boolean, turn: number) => number, asked = GET): number {
  let own = 0;
  for (let turn = 0; turn < times; turn++) {
    const isNew = choice.wantsNew(asked);
    if (isNew) own++;
    choice.observe(asked, isNew, ms(isNew, turn));
  }
  return own;
}

const twoPackets = (isNew: boolean): number => (isNew ? FAST : DELAYED);

describe("a server that answers in two packets", () => {
  it("is found by twelve requests of one kind: three slow, four fast on new connections, five slow again", () => {
    const choice = new ConnectionChoice();
    expect(send(choice, 11, twoPackets)).toBe(4);
    expect(choice.switched).toBe(false);
    send(choice, 1, twoPackets);
    expect(choice.switched).toBe(true);
    expect(choice.wantsNew({ method: "POST", path: "/other" })).toBe(true);
    expect(send(choice, 1000, twoPackets)).toBe(1000);
  });

  it("is found where ids and queries differ, and other requests come between", () => {
    const choice = new ConnectionChoice();
    for (let turn = 0; turn < 12; turn++) {
      send(choice, 1, twoPackets, { method: "POST", path: `/orders/${turn}/pay?x=${turn}` });
      // A 204 has no body, and so no second packet.
      send(choice, 1, () => FAST, { method: "DELETE", path: `/orders/${turn}/pay` });
    }
    expect(choice.switched).toBe(true);
  });

  it("is found where the kernel acknowledges the first packets of a connection at once", () => {
    const choice = new ConnectionChoice();
    send(choice, 7, twoPackets);
    send(choice, 4, () => FAST);
    send(choice, 5, twoPackets);
    expect(choice.switched).toBe(true);
  });

  it("is found where each request works for 25 ms besides", () => {
    const choice = new ConnectionChoice();
    send(choice, 12, (isNew) => twoPackets(isNew) + 25);
    expect(choice.switched).toBe(true);
  });

  it("is found on a busy machine, where some answers come later still", () => {
    const choice = new ConnectionChoice();
    send(choice, 60, (isNew, turn) => twoPackets(isNew) + (turn % 4 === 1 ? 30 : 0));
    expect(choice.switched).toBe(true);
  });

  it("is found at once on a busy machine, although more than half of the answers on new connections are late", () => {
    const choice = new ConnectionChoice();
    const late = [0, 1, 3, 5, 7];
    let own = 0;
    send(choice, 17, (isNew) => (isNew && late.includes(own++) ? DELAYED : twoPackets(isNew)));
    expect(choice.switched).toBe(true);
  });

  it("is found although a busy machine spoiled the first trials", () => {
    const choice = new ConnectionChoice();
    send(choice, 30, () => DELAYED);
    send(choice, 300, twoPackets);
    expect(choice.switched).toBe(true);
  });

  it("is found although the first request of the kept connection is fast", () => {
    const choice = new ConnectionChoice();
    choice.observe(GET, true, FAST);
    send(choice, 3, twoPackets);
    expect(choice.wantsNew(GET)).toBe(true);
    expect(choice.wantsNew({ ...GET, method: "POST" })).toBe(false);
  });
});

describe("another server keeps its connection", () => {
  it("that is fast", () => {
    const choice = new ConnectionChoice();
    expect(send(choice, 10_000, () => FAST)).toBe(0);
  });

  it("that works for 40 ms: three trials of six requests each, and then one each time after twice as many requests", () => {
    const choice = new ConnectionChoice();
    expect(send(choice, 200, () => DELAYED)).toBe(18);
    // After 200, 400, 800, 1,600 and 3,200 more.
    expect(send(choice, 9_800, () => DELAYED)).toBe(30);
    expect(choice.switched).toBe(false);
  });

  it.each([25, 37, 75, 300])("that works for %d ms is not even tried", (ms) => {
    const choice = new ConnectionChoice();
    expect(send(choice, 1000, () => ms)).toBe(0);
  });

  it("that is slow until it is warm", () => {
    const choice = new ConnectionChoice();
    send(choice, 3, () => DELAYED);
    send(choice, 1000, () => FAST);
    expect(choice.switched).toBe(false);
  });

  it("that is slow now and then", () => {
    const choice = new ConnectionChoice();
    expect(send(choice, 1000, (_isNew, turn) => (turn % 3 === 0 ? FAST : DELAYED))).toBe(0);
  });

  it("whose slow kind of request does not come again: trials end", () => {
    const choice = new ConnectionChoice();
    const kinds = ["a", "b", "c", "d"].map((name) => ({ method: "GET", path: `/${name}` }));
    for (const kind of kinds) {
      send(choice, 3, () => DELAYED, kind);
      send(choice, 500, () => FAST);
    }
    expect(kinds.map((kind) => choice.wantsNew(kind))).toEqual([false, false, false, false]);
  });
});

describe("after the switch", () => {
  const switched = (): ConnectionChoice => {
    const choice = new ConnectionChoice();
    send(choice, 12, twoPackets);
    expect(choice.switched).toBe(true);
    return choice;
  };

  it("connections are kept again, for good, once new ones do not help", () => {
    const choice = switched();
    expect(send(choice, 100, () => DELAYED)).toBe(8);
    expect(send(choice, 100, twoPackets)).toBe(0);
  });

  it("single slow answers and slow requests of another kind change nothing", () => {
    const choice = switched();
    send(choice, 1000, (_isNew, turn) => (turn % 3 === 0 ? DELAYED : FAST));
    send(choice, 1000, () => 100, { method: "GET", path: "/report" });
    expect(choice.switched).toBe(true);
  });

  it("connections are kept for good on demand", () => {
    const choice = switched();
    choice.keep();
    expect(send(choice, 100, twoPackets)).toBe(0);
  });
});
