import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { afterEach, beforeAll, test, vi } from "vitest";
import { z } from "zod";
import worker from "../../../src/worker.ts";
import { type Manner, PNG, serve, sparse } from "../../support/media-files.ts";
import { bindings, queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { API, type ChannelRef, createPost, findPost, type Project, projectWith } from "../../support/world.ts";

/** What slow and odd media servers may cost a waiting request, and a post. */
let project: Project;
let channel: ChannelRef;
beforeAll(async () => {
  ({ project, channel } = await projectWith("twitter"));
});
afterEach(() => vi.restoreAllMocks());

type Server = ReturnType<typeof serve>;

/** Puts media servers into the network, by host name; the rest of it stays as it is. */
function network(servers: Readonly<Record<string, Server>>): void {
  const { fetch } = globalThis;
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
    const { host } = new URL(input instanceof Request ? input.url : String(input));
    return servers[host]?.fetch(input instanceof Request ? input : String(input), init) ?? fetch(input, init);
  });
}

/** Does not answer until the request is cancelled. */
const asleep: Manner = {
  instead: ({ signal }) =>
    new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted")))),
};

const Refusal = z.object({ errors: z.record(z.string(), z.array(z.string())) });

/** validate-post of a thread with one file an item, with so much time. */
async function validate(urls: readonly string[], seconds: string) {
  const body = {
    ...channel,
    post_type: "thread",
    publish_mode: "now",
    twitter_threads: urls.map((url, index) => ({ message: `Item ${index}`, media_urls: [url] })),
  };
  const request = new Request(`${API}/social/validate-post`, {
    method: "POST",
    headers: { Authorization: `Bearer ${project.token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const context = createExecutionContext();
  const limited = { ...bindings, MEDIA_CHECK_SECONDS: seconds };
  const response = await worker.fetch(request, limited, context);
  await waitOnExecutionContext(context);
  return { status: response.status, body: await response.json() };
}

const addresses = (host: string, count: number) =>
  Array.from({ length: count }, (_, index) => `https://${host}/${host}-${index}.png`);

test("files that are not through in time are named, and the others are not waited for in turn", async ({ expect }) => {
  const servers = { "quick.example": serve(PNG), "slow.example": serve(PNG, asleep) };
  network(servers);
  const slow = addresses("slow.example", 20);
  const answer = await validate([...addresses("quick.example", 3), ...slow], "2");
  expect(answer.status).toBe(422);
  const { errors } = Refusal.parse(answer.body);
  const problems = errors.twitter_threads ?? [];
  expect(problems).toHaveLength(20);
  expect(problems[0]).toBe("twitter_threads: slow.example-0.png could not be read within 2 s: its server is too slow.");
  expect(problems[19]).toBe(
    "twitter_threads: slow.example-19.png was not checked: the files before it used the whole 2 s of the request.",
  );
  // Four at once; the others are not requested after the time limit.
  expect(servers["slow.example"].seen.requests).toBe(4);
});

test("every file is requested once, however often it is posted", async ({ expect }) => {
  const servers = { "quick.example": serve(PNG) };
  network(servers);
  const [url = ""] = addresses("quick.example", 1);
  expect((await validate(Array<string>(10).fill(url), "15")).status).toBe(200);
  expect(servers["quick.example"].seen.requests).toBe(1);
});

test("all files of a request together cost a bounded number of bytes", async ({ expect }) => {
  const servers = { "heavy.example": serve(sparse(PNG, 5_000_000), { ranges: false }) };
  network(servers);
  const answer = await validate(addresses("heavy.example", 25), "60");
  expect(answer.status).toBe(422);
  expect(JSON.stringify(answer.body)).toContain("more than 64 MB");
  expect(servers["heavy.example"].seen.bytes).toBeLessThan(65 * 1024 * 1024);
});

test("a large video of a server without ranges costs little, and the post says why it failed", async ({ expect }) => {
  const clip = new Uint8Array(await (await fetch(sandbox.media("clip.mp4"))).arrayBuffer());
  const servers = { "plain.example": serve(sparse(clip, 100_000_000), { ranges: false }) };
  network(servers);
  const id = await createPost(project, channel, {
    caption_text: "A long film",
    media_urls: ["https://plain.example/film.mp4"],
  });
  await queuesIdle();
  expect(await findPost(project, id)).toMatchObject({
    STATUS: "failed",
    error: "film.mp4 of 96 MB cannot be used: files over 5 MB require a server that supports range requests.",
  });
  expect(servers["plain.example"].seen.bytes).toBeLessThan(1_000_000);
});
