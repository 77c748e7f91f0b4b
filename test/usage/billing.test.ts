import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { idOf, type ProjectId } from "../../src/core/ids.ts";
import { runBatch } from "../../src/db/client.ts";
import { microsOf } from "../../src/platforms/pricing.ts";
import type { Answered, CallRequest, Lost, Send } from "../../src/platforms/request.ts";
import { pricing } from "../../src/platforms/twitter/prices.ts";
import { createDeps } from "../../src/service/deps.ts";
import { Billing } from "../../src/usage/billing.ts";
import { CostCeilingReached, ceilingOf, putCeiling, selectStanding } from "../../src/usage/ceiling.ts";
import { bindings } from "../support/queue.ts";
import { happens, oneOf, seededRandom, whole } from "../support/random.ts";

/**
 * Money over random sequences: what is reserved is never less than what can still be charged, a ceiling is
 * never passed whatever happens at the same time, and what is settled is what was charged.
 */
const deps = createDeps(bindings, { test: true });
const API = "https://api.x.com/2/";

type Random = ReturnType<typeof seededRandom>;

function randomCall(random: Random): CallRequest {
  const text = happens(random, 0.4) ? "see example.com" : "hello";
  const calls: readonly [CallRequest, ...CallRequest[]] = [
    { method: "POST", url: `${API}tweets`, json: { text } },
    { method: "DELETE", url: `${API}tweets/1` },
    { method: "POST", url: `${API}media/metadata`, json: {} },
    { method: "GET", url: `${API}users/me` },
    { method: "GET", url: `${API}users/1/tweets`, query: { max_results: 20, expansions: "referenced_posts" } },
    { method: "GET", url: `${API}tweets/search/recent`, query: { max_results: 10, expansions: "author_id" } },
    { method: "POST", url: `${API}media/upload`, json: {} },
  ];
  return oneOf(random, calls);
}

function randomAnswer(random: Random, { method }: CallRequest): Answered | Lost {
  if (happens(random, 0.2)) return { kind: "lost", message: "cut" };
  const status = oneOf(random, [200, 200, 200, 401, 402, 403, 429, 500, 503]);
  const things = (most: number) => Array.from({ length: whole(random, 0, most) }, (_, id) => ({ id: String(id) }));
  const body = method === "GET" && status === 200 ? { data: things(10), includes: { users: things(5) } } : null;
  return { kind: "answered", status, headers: new Headers(), text: "", body };
}

const DEATH = new Error("The delivery died.");

test.for([1, 2, 3, 4, 5, 6, 7, 8])("sequence %i", async (seed) => {
  const random = seededRandom(seed);
  const projectId = idOf<ProjectId>(900_000 + seed);
  const mostMicros = whole(random, 1, 40) * 100_000;
  const payer = { projectId, platform: "twitter", postId: null } as const;
  await runBatch(deps.db, [putCeiling(deps.db, projectId, mostMicros)]);
  const spent = async () => {
    const [standing] = await selectStanding(deps.db, ceilingOf(deps.config, projectId, Date.now()));
    return standing?.spentMicros ?? Number.NaN;
  };
  /** What the platform has charged at most: a call without an answer may have cost everything. */
  let chargeable = 0;
  let refused = 0;
  const send: Send = async (call) => {
    const most = microsOf(pricing.mostOf(call));
    // Reserved before the call, for every call that may cost something.
    expect(await spent()).toBeGreaterThanOrEqual(chargeable + (inParallel === 1 ? most : 0));
    // A delivery that dies during its call: the platform may have charged all of it.
    if (happens(random, 0.1)) {
      chargeable += most;
      throw DEATH;
    }
    const answer = randomAnswer(random, call);
    chargeable += answer.kind === "lost" ? most : microsOf(pricing.chargesOf(call, answer));
    return answer;
  };
  let inParallel = 1;
  for (let step = 0; step < 25; step++) {
    inParallel = whole(random, 1, 4);
    const calls = Array.from({ length: inParallel }, () => randomCall(random));
    await Promise.all(
      calls.map(async (call) => {
        try {
          await new Billing(deps, payer, pricing).over(send)(call);
        } catch (error) {
          if (!(error instanceof CostCeilingReached) && error !== DEATH) throw error;
          refused += error === DEATH ? 0 : 1;
        }
      }),
    );
    const now = await spent();
    expect(now).toBeGreaterThanOrEqual(chargeable);
    expect(now).toBeLessThanOrEqual(mostMicros);
  }
  expect(await spent()).toBe(chargeable);
  if (mostMicros <= 1_000_000) expect(refused).toBeGreaterThan(0);
});

test("without deaths, what is counted is exactly what was charged", async () => {
  const random = seededRandom(77);
  const projectId = idOf<ProjectId>(900_100);
  let charged = 0;
  const send: Send = async (call) => {
    const answer = randomAnswer(random, call);
    charged += microsOf(answer.kind === "lost" ? pricing.mostOf(call) : pricing.chargesOf(call, answer));
    return answer;
  };
  for (let step = 0; step < 60; step++) {
    const billing = new Billing(deps, { projectId, platform: "twitter", postId: null }, pricing);
    await billing.over(send)(randomCall(random));
  }
  const [standing] = await selectStanding(deps.db, ceilingOf(deps.config, projectId, Date.now()));
  expect(charged).toBeGreaterThan(0);
  expect(standing).toEqual({ spentMicros: charged, mostMicros: null });
});

test("an act that makes no call after its intent costs nothing, and its own call costs once", async () => {
  const payer = { projectId: idOf<ProjectId>(900_200), platform: "twitter", postId: null } as const;
  const spent = async () => {
    const [standing] = await selectStanding(deps.db, ceilingOf(deps.config, payer.projectId, Date.now()));
    return standing?.spentMicros;
  };
  const billing = new Billing(deps, payer, pricing);
  const plan = billing.plan({ act: { kind: "post", text: "hello" }, series: null });
  const answer: Answered = { kind: "answered", status: 201, headers: new Headers(), text: "", body: null };
  const send = billing.over(async () => answer);
  const call: CallRequest = { method: "POST", url: `${API}tweets`, json: { text: "hello" } };
  await runBatch(deps.db, billing.reserveAct(plan, sql`1`));
  expect(await spent()).toBe(15_000);
  await billing.during(async () => null);
  expect(await spent()).toBe(0);
  await runBatch(deps.db, billing.reserveAct(plan, sql`1`));
  await billing.during(() => send(call));
  expect(await spent()).toBe(15_000);
  // Outside its act the same call is paid by itself.
  await send(call);
  expect(await spent()).toBe(30_000);
});

test("without a ceiling, a delivery that dies loses the cost of no read that names its objects", async () => {
  const payer = { projectId: idOf<ProjectId>(900_300), platform: "twitter", postId: null } as const;
  const dying = new Billing(deps, payer, pricing).over(() => Promise.reject(DEATH));
  const calls = ["users/me", "tweets?ids=1,2,3"].map((path): CallRequest => {
    const [url = "", ids] = path.split("?ids=");
    return { method: "GET", url: `${API}${url}`, ...(ids && { query: { ids } }) };
  });
  for (const call of calls) await expect(dying(call)).rejects.toBe(DEATH);
  const [standing] = await selectStanding(deps.db, ceilingOf(deps.config, payer.projectId, Date.now()));
  expect(standing?.spentMicros).toBe(25_000);
});
