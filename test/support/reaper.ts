import type { Bindings } from "../../src/service/deps.ts";
import { bindings } from "./queue.ts";

/**
 * Processes that die at each of their writes: once before it reaches the storage, and once before its answer
 * comes back. A write is known by its text and the one before it, so each place in the code has its deaths.
 */
export class Reaper {
  readonly #before = new Set<string>();
  readonly #after = new Set<string>();

  get deaths(): number {
    return this.#before.size + this.#after.size;
  }

  /** The bindings of a new process. */
  process(): Bindings {
    const life = { isDead: false, last: "" };
    const act = async <T>(write: string | null, done: () => Promise<T>): Promise<T> => {
      if (life.isDead) throw new Death();
      const key = write === null ? null : `${life.last} > ${write}`;
      if (write !== null) life.last = write;
      if (key !== null && !this.#before.has(key)) {
        this.#before.add(key);
        life.isDead = true;
        throw new Death();
      }
      const answer = await done();
      if (key === null || this.#after.has(key)) return answer;
      this.#after.add(key);
      life.isDead = true;
      throw new Death();
    };
    const entries = Object.entries(bindings).map(([name, value]) => [name, mortal(name, value, act)]);
    return { ...bindings, ...Object.fromEntries(entries) };
  }
}

class Death extends Error {}

type Act = <T>(write: string | null, done: () => Promise<T>) => Promise<T>;

function mortal(name: string, binding: unknown, act: Act): unknown {
  if (/^DB(_\d)?$/.test(name)) return mortalDatabase(name, binding as D1Database, act);
  if (name === "KV") return calling(binding as object, (method) => (method === "put" ? "KV put" : null), act);
  if (name !== "LIMITER") return binding;
  return new Proxy(binding as object, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== "function") return member;
      if (property !== "get") return member.bind(target);
      return (...args: unknown[]) => calling(Reflect.apply(member, target, args), (method) => `limiter ${method}`, act);
    },
  });
}

function calling(target: object, write: (method: string) => string | null, act: Act): object {
  return new Proxy(target, {
    get(_, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => act(write(String(property)), async () => Reflect.apply(member, target, args));
    },
  });
}

const texts = new WeakMap<object, { readonly inner: D1PreparedStatement; readonly text: string }>();

const isWrite = (text: string): boolean => !/^\s*(select|with)\b/i.test(text);

function mortalDatabase(name: string, inner: D1Database, act: Act): D1Database {
  const writeOf = (statements: readonly string[]) => {
    const writes = statements.filter(isWrite);
    return writes.length === 0 ? null : `${name} ${writes.join(" ; ")}`;
  };
  const wrap = (statement: D1PreparedStatement, text: string): D1PreparedStatement => {
    const wrapped = new Proxy(statement, {
      get(target, property) {
        const member: unknown = Reflect.get(target, property);
        if (typeof member !== "function") return member;
        if (property === "bind") return (...values: unknown[]) => wrap(target.bind(...values), text);
        return (...args: unknown[]) => act(writeOf([text]), async () => Reflect.apply(member, target, args));
      },
    });
    texts.set(wrapped, { inner: statement, text });
    return wrapped;
  };
  return new Proxy(inner, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== "function") return member;
      if (property === "prepare") return (text: string) => wrap(target.prepare(text), text);
      if (property !== "batch")
        return (...args: unknown[]) => act(null, async () => Reflect.apply(member, target, args));
      return (statements: D1PreparedStatement[]) => {
        const known = statements.map((one) => texts.get(one) ?? { inner: one, text: "" });
        return act(writeOf(known.map(({ text }) => text)), () => target.batch(known.map((one) => one.inner)));
      };
    },
  });
}
