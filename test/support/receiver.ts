import { env } from "cloudflare:workers";
import { Webhook as Verifier } from "standardwebhooks";
import { z } from "zod";
import { advance } from "./clock.ts";
import { cron, queuesIdle } from "./queue.ts";
import { Project } from "./world.ts";

/**
 * A customer's server for webhooks, at https://hooks.test: it is behind the Worker's own `fetch` and
 * records each message. Loaded once per runtime, by test/support/setup.ts.
 */

export interface Received {
  readonly path: string;
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly at: number;
}

type Answering = (got: Received) => Response | Promise<Response>;

const reach = globalThis.fetch;
let received: Received[] = [];
let answers = new Map<string, Answering>();

globalThis.fetch = async (input, init) => {
  const { method, url } = input instanceof Request ? input : { method: "GET", url: input };
  const { host, pathname, href } = new URL(url);
  if (host !== "hooks.test" && (init?.method ?? method) === "POST" && answers.has(href))
    throw new Error(`${href} was called.`);
  if (host !== "hooks.test") return reach(input, init);
  const request = new Request(input, init);
  const headers = Object.fromEntries(request.headers);
  const text = await request.text();
  const got = { path: pathname, id: headers["webhook-id"] ?? "", headers, text, at: Date.now() };
  received.push(got);
  // What hangs ends with the caller's patience, as a socket does.
  const patience = new Promise<never>((_, reject) => {
    init?.signal?.addEventListener("abort", () => reject(new Error("The caller has gone.")));
  });
  return Promise.race([(answers.get(pathname) ?? (() => new Response(null, { status: 204 })))(got), patience]);
};

export const receiver = {
  /** What came to a path, in order. */
  at: (path: string): readonly Received[] => received.filter((one) => one.path === path),
  idsAt: (path: string): readonly string[] => receiver.at(path).map(({ id }) => id),
  /** From now on the path answers so. */
  answer(path: string, how: Answering | number): void {
    answers.set(path, typeof how === "number" ? () => new Response(`status ${how}`, { status: how }) : how);
  },
  hang: (): Promise<Response> => new Promise(() => {}),
  reset(): void {
    received = [];
    answers = new Map();
  },
};

/** The message, if the secret signed it: by the library that receivers use. Of any time. */
export function verified(secret: string, { headers, text }: Received): unknown {
  const now = Date.now;
  Date.now = () => Number(headers["webhook-timestamp"]) * 1000;
  try {
    return new Verifier(secret).verify(text, headers);
  } finally {
    Date.now = now;
  }
}

const Made = z.object({ webhook: z.looseObject({ id: z.number() }), secret: z.string() });

/** A project with one webhook at a path of its own. */
export async function hookedProject(body: Record<string, unknown> = {}) {
  const project = await Project.create();
  return { project, ...(await addHook(project, body)) };
}

export async function addHook(project: Project, body: Record<string, unknown> = {}) {
  const path = `/${crypto.randomUUID()}`;
  const answer = await project.call("POST", "/social/create-webhook", {
    body: { url: `https://hooks.test${path}`, ...body },
  });
  if (answer.status !== 200) throw new Error(`create-webhook: ${answer.status} ${JSON.stringify(answer.body)}`);
  const { webhook, secret } = Made.parse(answer.body);
  return { id: webhook.id, secret, path };
}

export async function projectIdOf({ name }: Project): Promise<number> {
  const row = await env.DB.prepare("SELECT id FROM projects WHERE name = ?").bind(name).first();
  return z.object({ id: z.number() }).parse(row).id;
}

/** Things that happen in a project, as features write them; their ids are those of posts from `first` on. */
export async function happen(project: Project, count: number, first = 1, type = "post.removed"): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1)
     INSERT INTO events (id, project_id, subject, subject_id, type, message, detail, created_at, outbox)
     SELECT max(?4 * 1000, (SELECT coalesce(max(id), 0) + 1 FROM events)) + i, project.id, 'post', ?2 + i, ?3, 'It happened.', '{}', ?4,
       (SELECT CASE max(state = 'enabled') WHEN 1 THEN 'pending' WHEN 0 THEN 'dispatched' END FROM webhooks
       WHERE project_id = project.id) FROM n, projects AS project WHERE project.id = ?5`,
  )
    .bind(count, first, type, Date.now(), await projectIdOf(project))
    .run();
}

/** Runs what is due, as a sweep and the queues do, for `ms` of the clock. */
export async function pass(ms = 1_000): Promise<void> {
  await cron();
  await queuesIdle(ms);
}

/** Lets a time go by in steps, with a sweep in each. */
export async function wait(ms: number, step: number): Promise<void> {
  for (let left = ms; left > 0; left -= step) {
    await advance(Math.min(step, left));
    await pass();
  }
}

const Delivery = z.looseObject({
  id: z.number(),
  message_id: z.string(),
  event: z.string(),
  status: z.enum(["waiting", "delivered", "failed"]),
  request_body: z.string().nullable(),
  attempts: z.array(
    z.object({
      at: z.string(),
      duration_ms: z.number(),
      status_code: z.number().nullable(),
      response_body: z.string().nullable(),
      error: z.string().nullable(),
    }),
  ),
  next_attempt_at: z.string().nullable(),
});
const Page = z.object({ deliveries: z.looseObject({ data: z.array(Delivery), next_cursor: z.string().nullable() }) });

/** All deliveries of a webhook, the newest first. */
export async function deliveriesOf(project: Project, id: number, query = ""): Promise<z.output<typeof Delivery>[]> {
  const all: z.output<typeof Delivery>[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const more = `${cursor === "" ? "" : `&cursor=${cursor}`}${query}`;
    const answer = await project.call("GET", `/social/get-webhook-deliveries/${id}?limit=100${more}`);
    const { deliveries } = Page.parse(answer.body);
    all.push(...deliveries.data);
    cursor = deliveries.next_cursor;
  }
  return all;
}

export async function webhookOf(project: Project, id: number): Promise<Record<string, unknown>> {
  const answer = await project.call("GET", `/social/get-webhook/${id}`);
  return z.object({ webhook: z.record(z.string(), z.unknown()) }).parse(answer.body).webhook;
}
