import { env } from "cloudflare:workers";
import { z } from "zod";
import { advance } from "./clock.ts";
import { cron, queue } from "./queue.ts";
import { sandbox } from "./sandbox.ts";
import { call, type Project } from "./world.ts";

/**
 * The sandbox's till for X, and our own count. We count each read of an object, X charges the same one once a
 * day: the till knows both sums. Amounts are whole tenths of a cent: sums of decimals are not exact.
 */
const Till = z.array(
  z.object({
    spent_usd: z.number(),
    without_dedup_usd: z.number(),
    balance_usd: z.number().nullable(),
    lines: z.array(z.object({ operation: z.string(), count: z.int(), usd: z.number() })),
  }),
);

export const exact = (usd: number): number => Math.round(usd * 1000);

export async function readTill() {
  const [till] = Till.parse(await sandbox.control("GET", "till?platform=twitter"));
  if (!till) throw new Error("X has no till.");
  const { spent_usd, without_dedup_usd, balance_usd, lines } = till;
  return { spent: exact(spent_usd), withoutDedup: exact(without_dedup_usd), balance: balance_usd, lines };
}

const Usage = z.object({ platform_cost: z.object({ amount: z.number() }) });
export async function costOf(project: Project): Promise<number> {
  return exact(Usage.parse((await project.call("GET", "/social/get-usage")).body).platform_cost.amount);
}

const Found = z.object({ post: z.object({ STATUS: z.string(), cost: z.object({ amount: z.number() }) }) });
export async function postWithCost(project: Project, id: number): Promise<{ state: string; cost: number }> {
  const { post } = Found.parse((await project.call("GET", `/social/post/${id}?include=content`)).body);
  return { state: post.STATUS, cost: exact(post.cost.amount) };
}

/** Sets the ceiling of a project, in whole dollars. */
export async function setCeiling({ name }: Project, most: number): Promise<void> {
  const headers = { "X-Operator-Key": env.OPERATOR_KEY };
  const { status } = await call("POST", "/internal/cost-ceilings", { headers, body: { project: name, most } });
  if (status !== 200) throw new Error(`The ceiling was not set: ${status}.`);
}

const AT_ONCE = 10;

/** Delivers what is due, ten messages at the same time, until nothing is. */
export async function deliverTogether(): Promise<void> {
  for (;;) {
    const messages = Array.from({ length: AT_ONCE }, () => queue.takeDue()).filter((one) => one !== null);
    if (messages.length === 0) return;
    await Promise.all(messages.map((message) => queue.deliver(message)));
  }
}

/** Moves the clock: what is due is delivered after each step. */
export async function pass(times: number, ms: number): Promise<void> {
  for (let turn = 0; turn < times; turn++) {
    await deliverTogether();
    await advance(ms);
    await cron();
  }
  await deliverTogether();
}
