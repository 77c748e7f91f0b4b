import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { firstIdOf } from "../../src/db/databases.ts";
import { accountsOf } from "../support/accounts.ts";
import { advance } from "../support/clock.ts";
import { counts, databases, projectIn, rowOf, useDatabases } from "../support/databases.ts";
import { cron, queue, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { MINUTE, wallClock } from "../support/times.ts";
import { call, createPost, findPost, issueToken, type Project } from "../support/world.ts";

/** A project lives in one of three databases (docs/decisions/0064). */
useDatabases();

const homes: Project[] = [];
beforeAll(async () => {
  for (const database of [1, 2]) homes.push(await projectIn(database));
});
const home = (index: number): Project => {
  const project = homes[index];
  if (!project) throw new Error("There is no such project.");
  return project;
};

async function connected(project: Project) {
  const [account] = await accountsOf("twitter");
  const [channel_id = 0] = await project.connect("twitter", [account]);
  return { channel_type: "twitter", channel_id } as const;
}

test("new projects are spread over the databases, and each has a copy of its row where it lives", async () => {
  for (const project of homes) {
    const { id, database } = await rowOf(project);
    const copies = await counts("projects", `id = ${id}`);
    expect(copies).toEqual([1, database === 1 ? 1 : 0, database === 2 ? 1 : 0]);
  }
});

test("what a project has is in its database, with ids that name it", async () => {
  for (const project of homes) {
    const { id, database } = await rowOf(project);
    const channel = await connected(project);
    const first = await createPost(project, channel, { caption_text: `Home ${crypto.randomUUID()}` });
    const second = await createPost(project, channel, { caption_text: `Again ${crypto.randomUUID()}` });
    expect([channel.channel_id, first, second].map((one) => one > firstIdOf(database))).toEqual([true, true, true]);
    expect(second).toBe(first + 1);
    expect(Number.isSafeInteger(second)).toBe(true);
    await queuesIdle();
    expect((await findPost(project, first)).STATUS).toBe("published");
    const posts = await counts("posts", `project_id = ${id}`);
    expect(posts).toEqual(databases().map((_, index) => (index === database ? 2 : 0)));
    expect(await counts("tokens", `project_id = ${id}`)).toEqual([1, 0, 0]);
  }
});

test("another project's ids are not found, in whichever database they are", async () => {
  const id = await createPost(home(0), await connected(home(0)), { caption_text: `Mine ${crypto.randomUUID()}` });
  expect((await home(1).call("GET", `/social/post/${id}`)).status).toBe(404);
});

test("the cron sends one message for each database, and each sweep finds what is due there", async () => {
  const posts = await Promise.all(
    homes.map(async (project) => {
      const channel = await connected(project);
      const due = Math.ceil((Date.now() + 10 * MINUTE) / MINUTE) * MINUTE;
      const body = { publish_mode: "scheduled", schedule_time: wallClock(due), time_zone: "UTC" };
      return createPost(project, channel, { caption_text: `Later ${crypto.randomUUID()}`, ...body });
    }),
  );
  await queuesIdle(1);
  queue.loseAll();
  await advance(10 * MINUTE);
  await cron();
  const swept = queue.messages.filter(({ type }) => type === "sweep").map(({ database = 0 }) => database);
  expect(swept.toSorted()).toEqual([0, 1, 2]);
  await queuesIdle();
  for (const [index, id] of posts.entries()) expect((await findPost(home(index), id)).STATUS).toBe("published");
});

test("without the queue of sweeps, the cron sweeps every database itself", async () => {
  const channel = await connected(home(1));
  const id = await createPost(home(1), channel, { caption_text: `Swept ${crypto.randomUUID()}` });
  queue.loseAll();
  await advance(2 * MINUTE);
  const { SWEEPS: _, ...without } = { SWEEPS: null, ...(await import("../support/queue.ts")).bindings };
  await cron(without);
  await queuesIdle();
  expect((await findPost(home(1), id)).STATUS).toBe("published");
});

test("each database notices by itself that it was set back", async () => {
  await cron();
  await queuesIdle();
  const marks = await Promise.all(["sweep-mark", "sweep-mark:1", "sweep-mark:2"].map((key) => env.KV.get(key)));
  expect(marks.every((mark) => mark !== null)).toBe(true);
});

test("a job whose message fails for good is found by the operator's calls, and revoking a token works from anywhere", async () => {
  const { id, token } = await issueToken(home(1).name);
  const revoked = await call("POST", "/internal/tokens/revoke", {
    headers: { "X-Operator-Key": env.OPERATOR_KEY },
    body: { id },
  });
  expect(revoked.status).toBe(200);
  await advance(2_000);
  const answer = await call("GET", "/social/get-posts", { token });
  expect(answer.status).toBe(401);
});

test("an operator's ceiling is stored where the project lives", async () => {
  const answer = await call("POST", "/internal/ceilings", {
    headers: { "X-Operator-Key": env.OPERATOR_KEY },
    body: { project: home(0).name, currency: "EUR", most: 5 },
  });
  expect(z.object({ most: z.string() }).parse(answer.body).most).toContain("5");
  const { id } = await rowOf(home(0));
  expect(await counts("spend_ceilings", `project_id = ${id}`)).toEqual([0, 1, 0]);
  expect(await sandbox.posts()).toBeInstanceOf(Array);
});
