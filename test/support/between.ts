import { attackGuards, type Given } from "./guards.ts";
import { bindings } from "./queue.ts";

/**
 * What is between the service and the outside, under a test's control: a proxy that changes only the
 * platform's answers, and a database that fails chosen statements. Everything else is the real runtime's.
 * Loaded once per runtime, by test/support/setup.ts.
 */
type Alter = (request: Request, answer: Response) => Response | Promise<Response | null> | null;
type Answer = (request: Request) => Response | null;

const reach = globalThis.fetch;
let alterations: Alter[] = [];
let gateways: Answer[] = [];
/** Requests that left, in order, by method and address. */
let sent: string[] = [];

globalThis.fetch = async (input, init) => {
  const { method, url } = input instanceof Request ? input : { method: "GET", url: input };
  sent.push(`${init?.method ?? method} ${new URL(url).href}`);
  if (gateways.length === 0 && alterations.length === 0) return reach(input, init);
  const request = new Request(input, init);
  for (const gateway of gateways) {
    const own = gateway(request);
    if (own) return own;
  }
  const seen = request.clone();
  let answer = await reach(request);
  for (const alter of alterations) answer = (await alter(seen, answer)) ?? answer;
  return answer;
};

/** From now on a gateway answers requests itself; null lets a request through. */
export function answering(gateway: Answer): void {
  gateways.push(gateway);
}

/** From now on answers go through `alter`; null leaves one as it is. */
export function altering(alter: Alter): void {
  alterations.push(alter);
}

/** The same for bodies of JSON whose address contains the text, `times` of them. */
export function alterJson(address: string, change: (body: unknown) => unknown, times = Number.POSITIVE_INFINITY): void {
  let left = times;
  altering(async (request, answer) => {
    if (left === 0 || !request.url.includes(address) || !answer.ok) return null;
    left -= 1;
    return Response.json(change(await answer.clone().json()), { status: answer.status });
  });
}

export function requests(part = ""): string[] {
  return sent.filter((request) => request.includes(part));
}

let failing: { pattern: RegExp; times: number }[] = [];

/** The next `times` calls with a statement like this fail: nothing of them is written. */
export function failStatements(pattern: RegExp, times: number): void {
  failing.push({ pattern, times });
}

let calls = 0;

/** Calls of D1 so far, a batch being one. */
export function databaseCalls(): number {
  return calls;
}

function check(queries: readonly string[]): void {
  calls += 1;
  const fault = failing.find(({ pattern, times }) => times > 0 && queries.some((query) => pattern.test(query)));
  if (!fault) return;
  fault.times -= 1;
  throw new Error("D1 failed, as the test asked.");
}

interface Watched extends Given {
  readonly inner: D1PreparedStatement;
}
const queries = new WeakMap<object, Watched>();

function watched(inner: D1PreparedStatement, query: string, bound: readonly unknown[] = []): D1PreparedStatement {
  const proxy = new Proxy(inner, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== "function") return member;
      if (property === "bind") return (...values: unknown[]) => watched(target.bind(...values), query, values);
      return async (...args: unknown[]) => {
        check([query]);
        return Reflect.apply(member, target, args);
      };
    },
  });
  queries.set(proxy, { query, values: bound, inner });
  return proxy;
}

const unknownOf = (inner: D1PreparedStatement): Watched => ({ query: "", values: [], inner });

const database = bindings.DB;
Object.defineProperty(bindings, "DB", {
  configurable: true,
  value: new Proxy(database, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== "function") return member;
      if (property === "prepare") return (query: string) => watched(target.prepare(query), query);
      if (property === "batch") {
        return async (statements: D1PreparedStatement[]) => {
          const known = statements.map((statement) => queries.get(statement) ?? unknownOf(statement));
          check(known.map(({ query }) => query));
          await attackGuards(target, known);
          return target.batch(known.map(({ inner }) => inner));
        };
      }
      return (...args: unknown[]) => Reflect.apply(member, target, args);
    },
  }),
});

/** Ends all of it; each file of tests begins so. */
export function quiet(): void {
  alterations = [];
  gateways = [];
  sent = [];
  failing = [];
}
