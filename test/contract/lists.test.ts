import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { type Exchange, spoiling } from "./changed-answers.ts";
import { oddItems } from "./odd.ts";
import { DRAWN, drawn } from "./sample.ts";
import type { Shape } from "./shapes.ts";
import { calm, flaws, Homes, mayEndInDoubt, NAMES, type Name, outcomeOf, planFor, send } from "./world.ts";

/**
 * One odd item in every list: a look-up finds what a lost call has made all the same, and takes nothing
 * foreign for it.
 */
const homes = new Homes();
beforeAll(async () => {
  await homes.connect();
});
afterEach(calm);

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The body with an item before the items of each list that shows the result. */
function withOdd(body: Json, mark: string, odd: (template: Json) => readonly Json[]): Json {
  if (Array.isArray(body)) {
    const [template] = body.filter((item) => JSON.stringify(item).includes(mark));
    return template === undefined ? body : [...odd(template), ...body];
  }
  if (body === null || typeof body !== "object") return body;
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, withOdd(value, mark, odd)]));
}

async function loseAmongOdd(name: Name, shape: Shape, odd: (template: Json) => readonly Json[]) {
  const sent = await send(homes.on(name), shape);
  await sandbox.fault(name, "publish", "accept_then_drop", shape.items.length);
  let changed = 0;
  const spoil = async ({ operation, answer }: Exchange) => {
    if (operation === "publish" || !/json/.test(answer.headers.get("content-type") ?? "")) return null;
    const text = await answer.clone().text();
    if (!text.includes(sent.mark)) return null;
    const body: Json = JSON.parse(text);
    const altered = withOdd(body, sent.mark, (template) => odd(foreign(template, sent.mark)));
    changed += 1;
    return Response.json(altered, { status: answer.status, headers: answer.headers });
  };
  await spoiling(name, spoil, () => queuesIdle(24 * 3_600_000));
  return { sent, outcome: await outcomeOf(sent), changed };
}

/** The same item as another's: other ids, another text. */
function foreign(template: Json, mark: string): Json {
  const text = JSON.stringify(template).replaceAll(mark, "written by hand &amp; sent elsewhere");
  return JSON.parse(text.replaceAll(/\d{9,}/g, (id) => `${id.slice(0, -1)}${(Number(id.at(-1)) + 1) % 10}`));
}

describe.for(NAMES)("%s", (name) => {
  const { typical, richest } = planFor(name);
  const [plain = richest] = typical;

  test.for(drawn(`${name} odd items`, oddItems, 3))(`an odd item in its lists: %s (${DRAWN})`, async ([, odd]) => {
    const { sent, outcome } = await loseAmongOdd(name, plain, (template) => [odd(template)]);
    expect(flaws(sent, outcome)).toEqual([]);
    if (!mayEndInDoubt(sent)) expect(outcome.error).toBeUndefined();
  });

  test("all odd items in its lists", async () => {
    const { sent, outcome } = await loseAmongOdd(name, plain, (template) => oddItems.map(([, odd]) => odd(template)));
    expect(flaws(sent, outcome)).toEqual([]);
    if (!mayEndInDoubt(sent)) expect(outcome.error).toBeUndefined();
  });
});
