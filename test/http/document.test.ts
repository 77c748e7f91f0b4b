import { describe, test } from "vitest";
import { z } from "zod";
import { call, ORIGIN } from "../support/world.ts";

describe("the API document", () => {
  test("is OpenAPI 3.1, with the permission, an example or shape and every refusal of each operation", async ({
    expect,
  }) => {
    const answer = await call("GET", "/openapi.json");
    expect(answer.status).toBe(200);
    const document = z
      .object({
        openapi: z.literal("3.1.0"),
        servers: z.array(z.object({ url: z.string() })),
        paths: z.record(
          z.string(),
          z.record(z.string(), z.looseObject({ responses: z.record(z.string(), z.unknown()) })),
        ),
      })
      .parse(answer.body);
    expect(document.servers).toEqual([{ url: "https://belfry.test/api/v1" }]);
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const operation of Object.values(methods)) {
        expect([path, operation]).toEqual([
          path,
          expect.objectContaining({
            operationId: expect.any(String),
            summary: expect.any(String),
            security: [{ bearer: [] }],
            "x-permission": expect.anything(),
          }),
        ]);
        for (const status of ["200", "401", "429", "500"]) expect(Object.keys(operation.responses)).toContain(status);
      }
    }
  });
});

describe("the document on its way", () => {
  test("is open to every page, and kept for some minutes", async ({ expect }) => {
    const first = await call("GET", "/openapi.json", { headers: { Origin: "https://editor.example" } });
    expect(first.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(first.headers.get("Access-Control-Expose-Headers")).toBe("ETag");
    expect(first.headers.get("Content-Type")).toMatch(/^application\/json/);
    expect(first.headers.get("Cache-Control")).toBe("public, max-age=300");
    const etag = first.headers.get("ETag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    for (const named of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await call("GET", "/openapi.json", { headers: { "If-None-Match": named } });
      expect([named, again.status, again.body]).toEqual([named, 304, ""]);
      expect(again.headers.get("ETag")).toBe(etag);
    }
    expect((await call("GET", "/openapi.json", { headers: { "If-None-Match": '"other"' } })).status).toBe(200);
    const preflight = await call("OPTIONS", "/openapi.json", {
      headers: { Origin: "https://editor.example", "Access-Control-Request-Method": "GET" },
    });
    expect([preflight.status, preflight.headers.get("Access-Control-Allow-Origin")]).toEqual([204, "*"]);
    // The others are for servers: a token has no place in a page.
    expect((await call("GET", "/social/upcoming-posts")).headers.get("Access-Control-Allow-Origin")).toBeNull();
  });

  test("speaks to its readers of nothing that they have not got", async ({ expect }) => {
    const text = JSON.stringify((await call("GET", "/openapi.json")).body);
    expect(text).not.toMatch(/\(spec|specification|\(extension|An extension|decisions\.md/);
  });
});

describe("the answers of the document", () => {
  const Content = z.object({ "application/json": z.object({ schema: z.unknown(), example: z.unknown().optional() }) });
  const Response = z.looseObject({ content: Content.optional() });
  const Shared = z.object({ $ref: z.string().startsWith("#/components/responses/") });
  const Document = z.object({
    components: z.object({
      schemas: z.record(z.string(), z.unknown()),
      responses: z.record(z.string(), Response),
    }),
    paths: z.record(
      z.string(),
      z.record(z.string(), z.looseObject({ responses: z.record(z.string(), z.union([Shared, Response])) })),
    ),
  });

  test("may all warn, and every 422 shows its errors", async ({ expect }) => {
    const { components, paths } = Document.parse((await call("GET", "/openapi.json")).body);
    const text = (value: unknown): string =>
      JSON.stringify(value).replaceAll(/"#\/components\/schemas\/(\w+)"/g, (_, name: string) =>
        name === "Warnings" ? '"Warnings"' : text(components.schemas[name]),
      );
    const answers = Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ responses }) => Object.entries(responses)),
    );
    expect(answers.length).toBeGreaterThan(60);
    for (const [status, answer] of answers) {
      const shared = Shared.safeParse(answer).data?.$ref.split("/").at(-1);
      const { content } = Response.parse(shared === undefined ? answer : components.responses[shared]);
      // Only an answer that the client has already is none.
      if (!content) {
        expect(status).toBe("304");
        continue;
      }
      const { schema, example } = content["application/json"];
      expect([status, text(schema)]).toEqual([status, expect.stringContaining('"warnings":{"$ref":"Warnings"}')]);
      // What only the state forbids is not about a field.
      const isOfState = JSON.stringify(example)?.includes('"not_changeable"');
      if (status === "422" && !isOfState) expect(example).toMatchObject({ errors: expect.any(Object) });
    }
  });

  test("refuse a key that was used for another request with 422", async ({ expect }) => {
    const { paths } = Document.parse((await call("GET", "/openapi.json")).body);
    const undocumented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap(({ responses, "x-idempotent": isIdempotent }) =>
        isIdempotent === true && !("422" in responses) ? [path] : [],
      ),
    );
    expect(undocumented).toEqual([]);
  });
});

test("the health check answers 200 when everything that it needs is ready", async ({ expect }) => {
  const answer = await call("GET", `${ORIGIN}/healthz`);
  expect(answer).toMatchObject({ status: 200, body: { status: true } });
});
