import { bindings } from "../support/queue.ts";

/**
 * Deliveries that meet with trouble. Every D1 call and every request that leaves the Worker is an event; a
 * test names the events at which something happens to the process that is about to act:
 * - it dies: nothing of it reaches the outside from then on, and the next delivery is a new process;
 * - it stumbles: the act fails, or was done and its answer is lost, and the process continues;
 * - it stalls, before the act or between the act and its answer, and resumes when the test lets it;
 * - something else happens in the world first, which a function does.
 */
export const FATES = ["dies", "fails", "loses the answer", "stalls", "hears late"] as const;
export type Fate = (typeof FATES)[number] | (() => Promise<void>);

interface Process {
  isDead: boolean;
}

let fates = new Map<number, Fate>();
let events = 0;
let current: Process = { isDead: false };
let standing = Promise.withResolvers<true>();
let hasStalled = false;
let wake: () => void = () => {};

class Trouble extends Error {}

async function live<T>(process: Process, act: () => Promise<T>): Promise<T> {
  if (process.isDead) throw new Trouble("This process is dead.");
  events += 1;
  const fate = fates.get(events);
  if (fate === "stalls") await stall();
  if (typeof fate === "function") await fate();
  if (fate === "dies") process.isDead = true;
  if (fate === "dies" || fate === "fails") throw new Trouble(`It ${fate}.`);
  const result = await act();
  if (fate === "loses the answer") throw new Trouble(`It ${fate}.`);
  if (fate === "hears late") await stall();
  return result;
}

function stall(): Promise<void> {
  hasStalled = true;
  standing.resolve(true);
  return new Promise((resolve) => {
    wake = resolve;
  });
}

const inners = new WeakMap<object, D1PreparedStatement>();

function mortalStatement(inner: D1PreparedStatement, process: Process): D1PreparedStatement {
  const mortal = new Proxy(inner, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== "function") return member;
      if (property === "bind") return (...values: unknown[]) => mortalStatement(target.bind(...values), process);
      return (...args: unknown[]) => live(process, async () => Reflect.apply(member, target, args));
    },
  });
  inners.set(mortal, inner);
  return mortal;
}

function mortalDatabase(inner: D1Database, process: Process): D1Database {
  return new Proxy(inner, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== "function") return member;
      if (property === "prepare") return (query: string) => mortalStatement(target.prepare(query), process);
      if (property === "batch") {
        return (statements: D1PreparedStatement[]) =>
          live(process, () => target.batch(statements.map((statement) => inners.get(statement) ?? statement)));
      }
      return (...args: unknown[]) => live(process, async () => Reflect.apply(member, target, args));
    },
  });
}

const database = bindings.DB;

/**
 * From now on, deliveries of this file are mortal. Each that reads its bindings is a process of its own.
 */
export function makeMortal(): void {
  Object.defineProperty(bindings, "DB", {
    configurable: true,
    get() {
      current = { isDead: false };
      return mortalDatabase(database, current);
    },
  });
  const reach = globalThis.fetch;
  globalThis.fetch = (input, init) => live(current, () => reach(input, init));
}

/** The same for calls of the bucket. */
export function makeBucketMortal(): void {
  const bucket = bindings.FILES;
  const mortal = new Proxy(bucket, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => live(current, async () => Reflect.apply(member, target, args));
    },
  });
  Object.defineProperty(bindings, "FILES", { configurable: true, value: mortal });
}

/** Counts events from now on; fates by their number, from 1. */
export function arm(wanted: Readonly<Record<number, Fate>> = {}): void {
  fates = new Map(Object.entries(wanted).map(([at, fate]) => [Number(at), fate]));
  events = 0;
  standing = Promise.withResolvers();
  hasStalled = false;
}

/** Ends the plan; returns how many events there were. */
export function disarm(): number {
  fates = new Map();
  return events;
}

export function isStalled(): boolean {
  return hasStalled;
}

/**
 * Until the process stalls, however long a busy machine takes to get there, or has ended without: whether it
 * does.
 */
export function untilStalled(work: Promise<unknown>): Promise<boolean> {
  return Promise.race([standing.promise, work.then(() => false)]);
}

export function resume(): void {
  wake();
}
