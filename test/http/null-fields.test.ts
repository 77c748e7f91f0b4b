import { beforeAll, describe, test } from "vitest";
import { z } from "zod";
import { type Api, type Operation, propertiesOf, readApi, resolve } from "../fuzz/document.ts";
import { type Answer, type ChannelRef, call, createPost, Project, projectWith } from "../support/world.ts";

/** Null for an optional field means that the field is absent, in every operation that creates or reads. */

const document: unknown = (await call("GET", "/openapi.json")).body;
const api = readApi(document);
const Examples = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ requestBody: z.unknown().optional() }))),
});
const Body = z.object({ content: z.object({ "application/json": z.object({ example: z.unknown().optional() }) }) });
const AnyObject = z.record(z.string(), z.unknown());

/** A whole body of the operation, as the document shows it. */
function exampleOf(read: Api, { path, method, body }: Operation): Record<string, unknown> {
  const own = Examples.parse(document).paths[path]?.[method.toLowerCase()]?.requestBody;
  const media = Body.safeParse(own).data?.content["application/json"].example;
  return AnyObject.parse(media ?? resolve(read, body).example);
}

type Path = readonly string[];

/**
 * The optional fields of a body that do not take null by their own schema, those of objects and of list items
 * too.
 */
function optionalFields(schema: unknown, path: Path = []): Path[] {
  const found = resolve(api, schema);
  const required = z.array(z.string()).catch([]).parse(found.required);
  return Object.entries(propertiesOf(api, found)).flatMap(([name, part]) => {
    const at = [...path, name];
    const inner = resolve(api, part);
    const nested = inner.type === "array" ? optionalFields(inner.items ?? {}, [...at, "0"]) : optionalFields(inner, at);
    const types = [inner.type].flat();
    return required.includes(name) || types.includes("null") ? nested : [at, ...nested];
  });
}

/**
 * The value with another one at the path; without it where that is undefined. Null where there is no such
 * place.
 */
function withAt(value: unknown, [first, ...rest]: Path, part: unknown): unknown {
  if (first === undefined) return part;
  if (Array.isArray(value)) return [withAt(value[0] ?? {}, rest, part), ...value.slice(1)];
  const own = AnyObject.catch({}).parse(value);
  if (rest.length > 0) return { ...own, [first]: withAt(own[first] ?? (rest[0] === "0" ? [{}] : {}), rest, part) };
  const { [first]: _, ...others } = own;
  return part === undefined ? others : { ...others, [first]: part };
}

const Shown = z.looseObject({ message: z.string().optional(), errors: z.unknown(), warnings: z.unknown() });

/** What an answer says of the request. */
function verdictOf({ status, body }: Answer) {
  const { errors = null, warnings = null } = Shown.catch({ errors: null, warnings: null }).parse(body);
  return { status, errors, warnings };
}

const creating = api.operations.filter(
  ({ method, body }) => method === "POST" && optionalFields(body ?? {}).length > 0,
);

describe("null for an optional field", () => {
  let project: Project;
  beforeAll(async () => {
    project = await Project.create();
  });

  test.for(creating.map((operation) => [operation.id, operation] as const))(
    "means absent in %s",
    async ([, operation], { expect }) => {
      const fields = optionalFields(operation.body);
      const path = operation.path.replaceAll(/\{[^}]+\}/g, "1");
      const example = exampleOf(api, operation);
      for (const field of fields) {
        const send = async (part: unknown) =>
          verdictOf(await project.call("POST", path, { body: withAt(example, field, part) }));
        expect([field.join("."), await send(null)]).toEqual([field.join("."), await send(undefined)]);
      }
    },
  );
});

const Content = z.object({ post: z.looseObject({ hash_tags: z.array(z.string()), caption_text: z.string() }) });

describe("null in update-post", () => {
  let project: Project;
  let channel: ChannelRef;
  beforeAll(async () => {
    ({ project, channel } = await projectWith("twitter"));
  });

  test("clears what can be cleared, and counts as absent elsewhere", async ({ expect }) => {
    const id = await createPost(project, channel, {
      caption_text: "stays",
      hash_tags: "one two",
      first_comment: "first",
      external_id: "e-1",
      publish_mode: "draft",
      media_urls: ["https://cdn.example.com/a.jpg"],
      alt_texts: ["a frame"],
    });
    const body = { caption_text: null, hash_tags: null, first_comment: null, alt_texts: null, media_urls: null };
    const answer = await project.call("PUT", `/social/update-post/${id}`, { body });
    expect(answer).toMatchObject({ status: 200 });
    const { post } = Content.parse((await project.call("GET", `/social/post/${id}?include=content`)).body);
    expect(post).toMatchObject({
      caption_text: "stays",
      hash_tags: [],
      first_comment: null,
      external_id: "e-1",
      alt_texts: [null],
      media_urls: ["https://cdn.example.com/a.jpg"],
    });
  });

  test("of nothing else is no change", async ({ expect }) => {
    const id = await createPost(project, channel, { caption_text: "stays", publish_mode: "draft" });
    const answer = await project.call("PUT", `/social/update-post/${id}`, { body: { caption_text: null } });
    expect(answer).toMatchObject({
      status: 422,
      body: { errors: { body: [expect.stringContaining("at least one")] } },
    });
  });
});
