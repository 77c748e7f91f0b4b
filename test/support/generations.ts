import { expect } from "vitest";
import { z } from "zod";
import { queuesIdle } from "./queue.ts";
import { sandbox } from "./sandbox.ts";
import { call, type Project } from "./world.ts";

/** Generations as a client sees them, and the requests that the simulated models got for them. */

export const KINDS = [
  "text_only",
  "ai_image_post",
  "ai_banner_post",
  "breel",
  "talking_reel",
  "faceless_reel",
] as const;
export type Kind = (typeof KINDS)[number];

export const INPUT = "Our bakery has saffron buns again, on Fridays only";

const Created = z.strictObject({
  id: z.uuid(),
  status: z.literal("queued"),
  message: z.string(),
  request_body: z.strictObject({
    post_type: z.string(),
    input: z.string(),
    platforms: z.array(z.string()).optional(),
    web_hook: z.string().nullable(),
    brand_id: z.null(),
  }),
});

export async function begin(project: Project, post_type: Kind, body: Record<string, unknown> = {}) {
  const answer = await project.call("POST", "/social/create-post-generation", {
    body: { post_type, input: INPUT, ...body },
  });
  expect(answer).toMatchObject({ status: 200 });
  return Created.parse(answer.body);
}

const Listed = z.strictObject({
  id: z.string(),
  status: z.enum(["queued", "done", "failed"]),
  caption_text: z.string(),
  media_urls: z.array(z.string()),
});
export type Listed = z.output<typeof Listed>;

export async function list(project: Project, query = ""): Promise<Listed[]> {
  const answer = await project.call("GET", `/social/get-post-generations${query}`);
  expect(answer.status).toBe(200);
  return z.strictObject({ post_generations: z.array(Listed) }).parse(answer.body).post_generations;
}

const Detail = z.strictObject({
  ...Listed.shape,
  post_type: z.string(),
  input: z.string(),
  platforms: z.array(z.string()).nullable(),
  web_hook: z.string().nullable(),
  error: z.string().nullable(),
  error_code: z.string().nullable(),
  created_at: z.string(),
  ended_at: z.string().nullable(),
  events: z.array(
    z.strictObject({
      id: z.number(),
      type: z.string(),
      message: z.string(),
      detail: z.record(z.string(), z.unknown()).nullable(),
      created_at: z.string(),
    }),
  ),
  web_hook_delivery: z
    .strictObject({
      message_id: z.string(),
      status: z.enum(["waiting", "delivered", "failed"]),
      attempts: z.array(z.looseObject({ status_code: z.number().nullable() })),
      next_attempt_at: z.string().nullable(),
    })
    .nullable(),
});
export type Detail = z.output<typeof Detail>;

export async function find(project: Project, id: string): Promise<Detail> {
  const answer = await project.call("GET", `/social/get-post-generation/${id}`);
  expect(answer.status).toBe(200);
  return z.strictObject({ post_generation: Detail, status: z.literal(true) }).parse(answer.body).post_generation;
}

/** Begins one, and lets everything happen that is to happen within the hour. */
export async function generate(project: Project, kind: Kind, body: Record<string, unknown> = {}): Promise<Detail> {
  const { id } = await begin(project, kind, body);
  await queuesIdle();
  return find(project, id);
}

const ModelCalls = z.array(
  z.looseObject({ id: z.number(), operation: z.string(), status: z.number().nullable(), paid: z.boolean() }),
);

/** How often each model has worked since call `after`, whether its answer arrived or not. */
export async function paidCalls(after = 0): Promise<Readonly<Record<string, number>>> {
  const calls = ModelCalls.parse(await sandbox.control("GET", "model-calls"));
  const paid = calls.filter((one) => one.paid && one.id > after);
  return Object.fromEntries(
    [...Map.groupBy(paid, ({ operation }) => operation)].map(([name, of]) => [name, of.length]),
  );
}

export async function lastModelCall(): Promise<number> {
  return ModelCalls.parse(await sandbox.control("GET", "model-calls")).at(-1)?.id ?? 0;
}

/** The bytes at one of our public addresses. */
export async function fetchMedia(url: string): Promise<number> {
  return (await call("GET", url)).status;
}
