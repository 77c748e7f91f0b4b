import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { z } from "zod";
import { idOf, type ProjectId } from "../../../src/core/ids.ts";
import { POST_EVENTS, postEvents } from "../../../src/posts/events.ts";
import { db } from "../../support/engine.ts";
import { eventFlaws } from "../../support/events.ts";
import { queuesIdle } from "../../support/queue.ts";
import { call, createPost, type Project, projectWith } from "../../support/world.ts";

/**
 * The events of a timeline, as data: every event that any test writes is checked against it
 * (support/setup.ts).
 */

const Shown = z.array(z.object({ type: z.string(), detail: z.unknown() }));

async function timeline(project: Project, id: number) {
  const answer = await project.call("GET", `/social/get-post-events/${id}`);
  return z.object({ events: Shown }).parse(answer.body).events;
}

const write = (postId: number, type: string, detail: string | null) =>
  env.DB.prepare(
    "INSERT INTO events (id, project_id, subject, subject_id, type, message, detail, created_at) SELECT coalesce(max(id), 0) + 1, 1, 'post', ?1, ?2, 'So it was.', ?3, 5 FROM events",
  )
    .bind(postId, type, detail)
    .run();

describe("an event", () => {
  test.for([
    ["of no known type", "post.exploded", "{}"],
    ["without its details", "post.failed", "{}"],
    ["with none at all", "post.deleted", null],
    ["with a code that is none", "post.removal_failed", '{"error_code":"bad_luck"}'],
    ["with more than its type has", "post.permalink", '{"permalink":"https://x.com/1","colour":"red"}'],
  ] as const)("%s fails the test that wrote it", async ([, type, detail], { expect }) => {
    await write(1_000, type, detail);
    expect(await eventFlaws()).toEqual([expect.stringContaining(type)]);
  });

  test("with details of another shape is shown without them, and one of an unknown type not at all", async ({
    expect,
  }) => {
    const { project, channel } = await projectWith("twitter");
    const id = await createPost(project, channel, { post_type: "tweet", caption_text: "hello" });
    await queuesIdle();
    await write(id, "post.failed", "{}");
    await write(id, "post.celebrated", '{"with":"cake"}');
    await eventFlaws();
    const events = await timeline(project, id);
    expect(events.map(({ type }) => type)).toEqual([
      "post.created",
      "post.processing",
      "post.published",
      "post.failed",
    ]);
    expect(events.at(-1)).toEqual({ type: "post.failed", detail: null });
  });
});

test("writing one is checked by the compiler", ({ expect }) => {
  const about = { projectId: idOf<ProjectId>(1), subjectId: 1, at: 5, message: "So it was." };
  const right = { ...about, type: "post.removal_failed", detail: { error_code: "reconnect_needed" } } as const;
  const statements = [
    postEvents.insert(db, right),
    // @ts-expect-error Details are not left out.
    postEvents.insert(db, { ...about, type: "post.removal_failed", detail: {} }),
    // @ts-expect-error A code is a word of the list.
    postEvents.insert(db, { ...about, type: "post.removal_failed", detail: { error_code: "bad_luck" } }),
    // @ts-expect-error Nor is a type.
    postEvents.insert(db, { ...about, type: "post.exploded", detail: {} }),
    // @ts-expect-error Details of one type are not those of another.
    postEvents.insert(db, { ...about, type: "post.permalink", detail: { error_code: "reconnect_needed" } }),
  ];
  // They are made here, and none is run.
  expect(statements).toHaveLength(5);
});

test("the document lists every type with its details, and the union distinguishes them", async ({ expect }) => {
  const Detail = z.object({ properties: z.record(z.string(), z.unknown()), required: z.array(z.string()).default([]) });
  const document = z
    .object({
      components: z.object({
        schemas: z.looseObject({
          PostEvent: z.object({
            oneOf: z.array(z.object({ $ref: z.string() })),
            discriminator: z.object({ propertyName: z.literal("type"), mapping: z.record(z.string(), z.string()) }),
          }),
        }),
      }),
    })
    .parse((await call("GET", "/openapi.json")).body);
  const { schemas } = document.components;
  const { oneOf, discriminator } = schemas.PostEvent;
  expect(Object.keys(discriminator.mapping)).toEqual(Object.keys(POST_EVENTS));
  expect(oneOf.map(({ $ref }) => $ref)).toEqual(Object.values(discriminator.mapping));
  for (const [type, { description, detail }] of Object.entries(POST_EVENTS)) {
    const name = discriminator.mapping[type]?.split("/").at(-1) ?? "";
    const shown = z
      .object({
        description: z.string(),
        properties: z.object({ type: z.object({ enum: z.tuple([z.string()]) }), detail: Detail }),
      })
      .parse(schemas[name]);
    expect(shown).toMatchObject({ description, properties: { type: { enum: [type] } } });
    expect(Object.keys(shown.properties.detail.properties)).toEqual(Object.keys(detail.shape));
  }
});
