import { Validator } from "@cfworker/json-schema";
import { inject, test } from "vitest";
import { z } from "zod";
import { withoutExamples } from "../support/schemas.ts";

/** Every example of the OpenAPI document matches the schema that it is in, or beside. */
const document: unknown = JSON.parse(inject("document"));
const { components } = z
  .object({ components: z.object({ schemas: z.record(z.string(), z.unknown()) }) })
  .parse(document);
const schemas = withoutExamples(components.schemas);

interface Example {
  /** Its position, as a JSON pointer. */
  readonly at: string;
  readonly schema: object;
  readonly value: unknown;
}

/** Objects whose keys are free names: there, `example` is a name, not an example. */
const NAMED = new Set(["properties", "schemas", "responses", "paths"]);

function* examplesIn(node: unknown, at = ""): Generator<Example> {
  if (node === null || typeof node !== "object") return;
  const isOfNames = NAMED.has(at.split("/").at(-1) ?? "");
  if (!isOfNames && "example" in node) {
    // Media types and parameters have a schema beside it; in a schema it is one of itself.
    const schema = "schema" in node && node.schema instanceof Object ? node.schema : node;
    yield { at, schema, value: node.example };
  }
  for (const [name, inner] of Object.entries(node)) {
    if (name !== "example" || isOfNames) yield* examplesIn(inner, `${at}/${name}`);
  }
}

/** Sentences about the examples that are not as their schemas say. */
function wrongAmong(examples: readonly Example[]): readonly string[] {
  return examples.flatMap(({ at, schema, value }) => {
    const { errors } = new Validator({ ...withoutExamples(schema), components: { schemas } }, "2020-12").validate(
      value,
    );
    return errors.length === 0 ? [] : `${at}: ${JSON.stringify(value)}: ${errors.at(-1)?.error}`;
  });
}

const examples = [...examplesIn(document)];

test("every example is as its schema says", ({ expect }) => {
  expect(examples.length).toBeGreaterThan(400);
  expect(wrongAmong(examples)).toEqual([]);
});

test("one that is not would be found", ({ expect }) => {
  const whole = examples.filter(({ value }) => value instanceof Object && !Array.isArray(value));
  expect(whole.length).toBeGreaterThan(50);
  expect(wrongAmong(whole.map((one) => ({ ...one, value: 7 })))).toHaveLength(whole.length);
});

test("every JSON body has an example", ({ expect }) => {
  const Body = z.object({ content: z.record(z.string(), z.object({ schema: z.object({ $ref: z.string() }) })) });
  const Operation = z.object({ operationId: z.string(), requestBody: z.unknown().optional() });
  const { paths } = z.object({ paths: z.record(z.string(), z.record(z.string(), Operation)) }).parse(document);
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const bodies = operations.flatMap(({ operationId, requestBody }) => {
    const ref = Body.safeParse(requestBody).data?.content["application/json"]?.schema.$ref;
    return ref ? [{ operationId, schema: components.schemas[ref.split("/").at(-1) ?? ""] }] : [];
  });
  expect(bodies.length).toBeGreaterThan(15);
  expect(bodies.filter(({ schema }) => !(schema instanceof Object && "example" in schema))).toEqual([]);
});
