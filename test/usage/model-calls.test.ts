import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { settings } from "../contract/world.ts";
import { answersTo, entryOf, makeBot, platformIdOf } from "../support/automations.ts";
import { advance } from "../support/clock.ts";
import { begin, find } from "../support/generations.ts";
import { bindings, cron, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY, MINUTE } from "../support/times.ts";
import {
  API,
  type ChannelRef,
  call,
  createPost,
  door,
  issueToken,
  type Project,
  projectWith,
} from "../support/world.ts";

/** What models may be called: a day's calls of a project and of a bot, trials apart, and what they cost. */
let project: Project;
let channel: ChannelRef<"facebook">;
let platformId: string;
beforeAll(async () => {
  await settings({ facebook_short_pages: false });
  ({ project, channel } = await projectWith("facebook"));
  const post = await createPost(project, channel, { caption_text: "Our bakery sells saffron buns and rye bread." });
  await queuesIdle();
  platformId = await platformIdOf(post);
});

const FIXED = "Please write to info@bakery.example";
const clever = async (body: Record<string, unknown> = {}, of = { project, channel }) =>
  (
    await makeBot(of.project, [of.channel], {
      ai_enable: "yes",
      ai_settings: { response_tone: "friendly", emoji_usage: "none" },
      comment_reply: FIXED,
      ...body,
    })
  ).id;

const modelCalls = async () => z.array(z.unknown()).parse(await sandbox.control("GET", "model-calls")).length;

async function tryBot(token: string, id: number, variables: Readonly<Record<string, string>> = {}) {
  const request = new Request(`${API}/social/test-comment-automation/${id}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ text: "Do you deliver saffron buns?" }),
  });
  const response = await door(request, { ...bindings, ...variables });
  return { status: response.status, body: z.looseObject({}).parse(await response.json()) };
}

const Usage = z.object({
  platform_cost: z.object({ amount: z.number() }),
  usage: z.array(z.object({ service: z.string(), operation: z.string(), calls: z.int(), amount: z.number() })),
  model_calls: z.object({
    today: z.int(),
    most: z.int(),
    most_of_automation: z.int(),
    trials_today: z.int(),
    most_trials: z.int(),
  }),
});
const usageOf = async (of: Project) => Usage.parse((await of.call("GET", "/social/get-usage")).body);

async function minutes(count: number, variables: Readonly<Record<string, string>>): Promise<void> {
  const given = { ...bindings, ...variables };
  for (let left = count; left > 0; left--) {
    await advance(MINUTE);
    await cron(given);
    await queuesIdle(1_000, given);
  }
}

describe("a trial", () => {
  test("that calls a model needs the permission to create an automation", async () => {
    const own = await projectWith("facebook");
    const [withModel, plain] = [await clever({}, own), await clever({ ai_enable: "no" }, own)];
    const { token } = await issueToken(own.project.name, { permissions: ["view-comment-automation"] });
    const before = await modelCalls();
    const refused = await tryBot(token, withModel);
    expect([refused.status, refused.body, await modelCalls()]).toEqual([
      401,
      expect.objectContaining({
        code: "permission_missing",
        message: expect.stringContaining("create-comment-automation"),
      }),
      before,
    ]);
    expect((await tryBot(token, plain)).status).toBe(200);
    expect((await tryBot(own.project.token, withModel)).status).toBe(200);
    expect(await modelCalls()).toBe(before + 1);
  });

  test("takes from an allowance of its own, which is new every day", async () => {
    const own = await projectWith("facebook");
    const id = await clever({}, own);
    const few = { MAX_MODEL_TRIALS_A_DAY: "3" };
    const before = await modelCalls();
    const answers = [];
    for (let count = 0; count < 5; count++) answers.push((await tryBot(own.project.token, id, few)).status);
    expect([answers, (await modelCalls()) - before]).toEqual([[200, 200, 200, 429, 429], 3]);
    const refused = await tryBot(own.project.token, id, few);
    expect(refused.body).toMatchObject({ code: "quota_exceeded", message: expect.stringContaining("3 times a day") });
    const { model_calls, usage } = await usageOf(own.project);
    expect(model_calls).toEqual({ today: 0, most: 2_000, most_of_automation: 500, trials_today: 3, most_trials: 100 });
    expect(usage).toMatchObject([{ service: "models", operation: "text", calls: 3 }]);
    await advance(DAY);
    expect((await tryBot(own.project.token, id, few)).status).toBe(200);
  });

  test("with a price counts under the cost ceiling", async () => {
    const own = await projectWith("facebook");
    const id = await clever({}, own);
    const costly = { MODEL_PRICES: "text=0.4,image=1", MAX_PLATFORM_COST: "USD=1" };
    const before = await modelCalls();
    const at = await Promise.all([1, 2, 3, 4].map(() => tryBot(own.project.token, id, costly)));
    expect(at.map(({ status }) => status).toSorted()).toEqual([200, 200, 429, 429]);
    const refused = await tryBot(own.project.token, id, costly);
    expect([refused.status, refused.body]).toEqual([
      429,
      expect.objectContaining({ message: expect.stringContaining("1.00 USD in a month") }),
    ]);
    expect((await modelCalls()) - before).toBe(2);
    const { platform_cost, usage } = await usageOf(own.project);
    expect([platform_cost.amount, usage]).toEqual([0.8, [expect.objectContaining({ operation: "text", amount: 0.8 })]]);
  });
});

test("a bot beyond its calls of the day answers with its own text, and says why", async () => {
  await advance(DAY);
  const few = { MAX_MODEL_CALLS_OF_BOT_A_DAY: "2" };
  const id = await clever({ name: "Few" });
  const before = await modelCalls();
  const answers: string[] = [];
  const comments: string[] = [];
  for (let count = 0; count < 3; count++) {
    comments.push(
      await sandbox.comment("facebook", platformId, `Do you deliver saffron buns? ${"abc"[count]}`, `P${count}`),
    );
    await minutes(3, few);
  }
  for (const comment of comments) answers.push(...(await answersTo("facebook", comment)));
  expect(answers).toHaveLength(3);
  expect(answers.map((text) => text.includes("saffron"))).toEqual([true, true, false]);
  expect(answers[2]).toBe(FIXED);
  expect((await modelCalls()) - before).toBe(2);
  const entry = await entryOf(project, id, "Do you deliver saffron buns? c");
  expect(entry).toMatchObject({ outcome: "replied", message: expect.stringContaining("2 times a day") });
  // The trial is counted apart.
  expect((await tryBot(project.token, id, few)).status).toBe(200);
  await call("DELETE", `/social/delete-comment-automation/${id}`, { token: project.token });
});

test("a generation beyond the project's calls of the day fails with that reason, and pays nothing more", async () => {
  const own = await projectWith("facebook");
  const before = await modelCalls();
  const { id } = await begin(own.project, "ai_image_post");
  const few: Readonly<Record<string, string>> = { MAX_MODEL_CALLS_A_DAY: "1" };
  await queuesIdle(30 * MINUTE, { ...bindings, ...few });
  expect(await find(own.project, id)).toMatchObject({ status: "failed" });
  const { usage, model_calls } = await usageOf(own.project);
  expect(usage.filter(({ operation }) => operation !== "generation")).toMatchObject([{ operation: "text", calls: 1 }]);
  expect([model_calls.today, (await modelCalls()) - before]).toEqual([1, 1]);
});
