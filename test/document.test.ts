import { describe, test } from "vitest";
import { z } from "zod";
import { call, door, ORIGIN } from "./support/world.ts";

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

describe("the answers of the document", () => {
  const Content = z.object({ "application/json": z.object({ schema: z.unknown(), example: z.unknown().optional() }) });
  const Document = z.object({
    components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
    paths: z.record(
      z.string(),
      z.record(z.string(), z.looseObject({ responses: z.record(z.string(), z.looseObject({ content: Content })) })),
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
    for (const [status, { content }] of answers) {
      const { schema, example } = content["application/json"];
      expect([status, text(schema)]).toEqual([status, expect.stringContaining('"warnings":{"$ref":"Warnings"}')]);
      if (status === "422") expect(example).toMatchObject({ errors: expect.any(Object) });
    }
  });
});

describe("the reference", () => {
  test("is served by us, with scripts of ours only", async ({ expect }) => {
    const page = await door(new Request(`${ORIGIN}/docs`));
    expect(page.headers.get("Content-Security-Policy")).toContain("script-src 'self'");
    const html = await page.text();
    const sources = Array.from(html.matchAll(/(?:src|href)="([^"]+)"/g), ([, source = ""]) => source);
    expect(sources.length).toBeGreaterThan(3);
    for (const source of sources) {
      expect(source).toMatch(/^\//);
      if (!source.startsWith("/docs/")) continue;
      const asset = await door(new Request(`${ORIGIN}${source}`));
      expect([source, asset.status]).toEqual([source, 200]);
      await asset.body?.cancel();
    }
    expect((await door(new Request(`${ORIGIN}/docs/nothing.js`))).status).toBe(404);
  });
});

test("the health check answers 200 when everything it needs is there", async ({ expect }) => {
  const answer = await call("GET", `${ORIGIN}/healthz`);
  expect(answer).toMatchObject({ status: 200, body: { status: true } });
});
