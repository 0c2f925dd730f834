import { expect, test } from "vitest";
import { createFakeClock } from "../src/index.ts";

test("due timers run in order of their due time, each at its own time", async () => {
  const clock = createFakeClock({ now: 1000 });
  const ran: string[] = [];
  clock.setTimer(30, () => ran.push(`late ${clock.now()}`));
  clock.setTimer(10, () => ran.push(`first ${clock.now()}`));
  clock.setTimer(10, () => ran.push(`second ${clock.now()}`));
  clock.setTimer(31, () => ran.push("not yet"));
  await clock.advance(30);
  expect(ran).toEqual(["first 1010", "second 1010", "late 1030"]);
  expect(clock.now()).toBe(1030);
  expect(clock.pendingTimers).toBe(1);
});

test("work set off by a timer settles before the next timer runs, and its own timers fall into place", async () => {
  const clock = createFakeClock({ now: 0 });
  const ran: string[] = [];
  clock.setTimer(10, async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    ran.push(`work ${clock.now()}`);
    clock.setTimer(5, () => ran.push(`follow-up ${clock.now()}`));
  });
  clock.setTimer(20, () => ran.push(`later ${clock.now()}`));
  await clock.advance(20);
  expect(ran).toEqual(["work 10", "follow-up 15", "later 20"]);
});

test("advance(0) settles running work and runs what is due now, without moving time", async () => {
  const clock = createFakeClock({ now: 7 });
  let done = false;
  void (async () => {
    await new Promise(setImmediate);
    clock.setTimer(0, () => {
      done = true;
    });
  })();
  await clock.advance(0);
  expect(done).toBe(true);
  expect(clock.now()).toBe(7);
});

test("a cancelled timer does not run", async () => {
  const clock = createFakeClock();
  let ran = false;
  const cancel = clock.setTimer(5, () => {
    ran = true;
  });
  cancel();
  await clock.advance(10);
  expect(ran).toBe(false);
});

test("stepping the time of day back moves now() and no timer", async () => {
  const clock = createFakeClock({ now: 10_000 });
  let ranAt = 0;
  clock.setTimer(100, () => {
    ranAt = clock.now();
  });
  clock.step(-5000);
  expect(clock.now()).toBe(5000);
  await clock.advance(100);
  expect(ranAt).toBe(5100);
});

test("a quiet time waits for work that real time brings", async () => {
  const clock = createFakeClock({ quietMs: 60 });
  let answered = false;
  clock.setTimer(1, () => {
    setTimeout(() => {
      answered = true;
    }, 20);
  });
  await clock.advance(1);
  expect(answered).toBe(true);
});

test("a timer that sets itself again at once is reported", { timeout: 60_000 }, async () => {
  const clock = createFakeClock();
  const again = () => void clock.setTimer(0, again);
  again();
  await expect(clock.advance(1)).rejects.toThrow(/sets itself again/);
});

test("calls of advance made together follow one another", async () => {
  const clock = createFakeClock({ now: 0 });
  await Promise.all([clock.advance(10), clock.advance(5)]);
  expect(clock.now()).toBe(15);
});

test("time stands still while something is under way that the clock cannot see", async () => {
  const request = Promise.withResolvers<void>();
  let going = true;
  const clock = createFakeClock({ now: 0, underWay: () => (going ? request.promise : undefined) });
  const ran: number[] = [];
  clock.setTimer(10, () => ran.push(clock.now()));
  const advanced = clock.advance(10);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(ran).toEqual([]);
  going = false;
  request.reject(new Error("an answer, of a kind"));
  await advanced;
  expect(ran).toEqual([10]);
});
