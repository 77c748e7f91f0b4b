import { env } from "cloudflare:workers";
import { beforeAll, describe, test } from "vitest";
import { accountsOf } from "../support/accounts.ts";
import { advance } from "../support/clock.ts";
import { queue } from "../support/queue.ts";
import { SANDBOX } from "../support/sandbox.ts";
import { call, createPost, door, issueToken, ORIGIN, Project, projectWith } from "../support/world.ts";
import { type Case, makeCase } from "./cases.ts";
import { type Api, readApi } from "./document.ts";
import type { World } from "./values.ts";
import { type Answer, createJudge, type Judge } from "./verdict.ts";

/** A short run of `npm run fuzz`: the same requests, through the Worker's own door. */
const SEED = 7;
const COUNT = 400;

let api: Api;
let judge: Judge;
let world: World;
const tokens = { own: "", stranger: "", expired: "", revoked: "", limited: "" };

beforeAll(async () => {
  api = readApi((await call("GET", "/openapi.json")).body);
  judge = createJudge(api);
  const project = await Project.create();
  const [twitter = 0, spareChannel = 0] = await project.connect("twitter", (await accountsOf("twitter")).slice(0, 2));
  const [facebook = 0] = await project.connect("facebook", (await accountsOf("facebook")).slice(0, 1));
  const stranger = await projectWith("twitter");
  const own = { channel_type: "twitter", channel_id: twitter } as const;
  const posts = await createPost(project, own, { caption_text: "a post", publish_mode: "queued" });
  const post = await createPost(stranger.project, stranger.channel, { caption_text: "theirs", publish_mode: "queued" });
  const revoked = await issueToken(project.name);
  const headers = { "X-Operator-Key": env.OPERATOR_KEY };
  await call("POST", "/internal/tokens/revoke", { headers, body: { id: revoked.id } });
  tokens.own = project.token;
  tokens.stranger = stranger.project.token;
  tokens.expired = (await issueToken(project.name, { expiresAt: "2020-01-01T00:00:00Z" })).token;
  tokens.revoked = revoked.token;
  tokens.limited = (await issueToken(project.name, { permissions: ["social-read-posts"] })).token;
  const strangers = { channel: stranger.channel.channel_id, post };
  const media = [`${SANDBOX}/_media/square.jpg`, `${SANDBOX}/_media/clip.mp4`] as const;
  world = { channels: { facebook, twitter }, spareChannel, strangers, posts, connectToken: "x.y.z", media };
});

/**
 * Null for what a client in a Worker cannot send: there are methods, headers and bytes that it refuses
 * itself.
 */
function requestOf({ method, target, bearer, headers, body }: Case): Request | null {
  const authorization = typeof bearer === "string" ? `Bearer ${tokens[bearer]}` : bearer.raw;
  try {
    const sent = new Headers(headers.map(([name, value]): [string, string] => [name, value]));
    if (authorization !== null && !sent.has("authorization")) sent.set("authorization", authorization);
    const isBare = body === null || method === "GET" || method === "HEAD";
    // Nothing enforces it here, as a connection does.
    if (!isBare && !sent.has("content-length")) sent.set("content-length", String(body.byteLength));
    return new Request(`${ORIGIN}${target}`, {
      method,
      headers: sent,
      redirect: "manual",
      ...(isBare ? {} : { body }),
    });
  } catch {
    return null;
  }
}

async function send(request: Request): Promise<Answer> {
  const { status, headers, body } = await door(request);
  // The clock moves so that the rate limit is not what is tested.
  await advance(20);
  queue.loseAll();
  return { status, headers, text: body === null ? "" : await new Response(body).text() };
}

describe("requests made from the document", () => {
  test(`${COUNT} of them, whole and broken, are answered as it says`, { timeout: 120_000 }, async ({ expect }) => {
    const problems: string[] = [];
    const statuses = new Map<number, number>();
    for (let number = 0; number < COUNT; number++) {
      const made = makeCase(api, world, SEED, number);
      const request = requestOf(made);
      if (!request) continue;
      const answer = await send(request);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      for (const problem of judge(made, answer)) {
        problems.push(
          `case ${number}, ${made.operation?.id ?? `${made.method} ${made.target.slice(0, 80)}`}, ${made.what}: ${problem}`,
        );
      }
    }
    expect(problems).toEqual([]);
    // Neither all refused at the door, nor all let through.
    for (const status of [200, 401, 404, 422]) expect(statuses.get(status) ?? 0).toBeGreaterThan(5);
  });

  test("are the same ones for the same seed, and others for another", ({ expect }) => {
    const make = (seed: number) => Array.from({ length: 60 }, (_, number) => makeCase(api, world, seed, number));
    expect(make(1)).toEqual(make(1));
    expect(make(1).map(({ target, what }) => target + what)).not.toEqual(
      make(2).map(({ target, what }) => target + what),
    );
  });

  test("reach every operation, and break each in many ways", ({ expect }) => {
    const cases = Array.from({ length: 3_000 }, (_, number) => makeCase(api, world, 3, number));
    const reached = new Set(cases.flatMap(({ operation }) => (operation ? [operation.id] : [])));
    expect([...reached].toSorted()).toEqual(api.operations.map(({ id }) => id).toSorted());
    for (const words of [
      "inherited key",
      "not UTF-8",
      "nested deeply",
      "1040000 characters",
      "10001 values",
      "oversized",
      "comes twice",
    ]) {
      expect(
        cases.some(({ what }) => what.includes(words.replace("comes twice", "come twice"))),
        words,
      ).toBe(true);
    }
  });

  test("what is wrong with an answer is reported", ({ expect }) => {
    const made = makeCase(api, world, 1, 0);
    const operation = api.operations.find(({ id }) => id === "findPost") ?? null;
    const request = { ...made, operation, method: "GET", target: "/api/v1/social/post/1" };
    const headers = new Headers({ "Content-Type": "application/json", "X-Request-Id": "x" });
    const post = { post_id: 1, channel_type: "twitter", channel_id: "1", STATUS: "queued" };
    const judged = (status: number, body: unknown) => judge(request, { status, headers, text: JSON.stringify(body) });
    expect(judged(200, { post, status: true })).toEqual([]);
    expect(judged(200, { post: { ...post, post_id: "1" }, status: true })).toHaveLength(1);
    const advice = { fix: "Check the id.", again: "no", docs_url: "https://belfry.example/docs/errors#not_found" };
    const absent = { status: false, message: "There is no such post.", code: "not_found", ...advice };
    expect(judged(404, absent)).toEqual([]);
    // The validator must not stumble over what an answer repeats of the request.
    const errors = { "\ud800": ['\ud800 cannot be changed here, and neither can "\\ud800".'] };
    expect(judged(404, { ...absent, errors })).toEqual([]);
    expect(judged(404, { message: "There is no such post." })).not.toEqual([]);
    expect(judged(409, absent)).toHaveLength(1);
    expect(judged(500, {})).not.toEqual([]);
    expect(judge(request, { status: 200, headers: new Headers(), text: "{}" })).not.toEqual([]);
  });
});
