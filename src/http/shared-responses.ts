import type { OpenAPIHono } from "@hono/zod-openapi";
import { z } from "zod";

type Document = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

const Operations = z.record(
  z.string(),
  z.looseObject({ operationId: z.string(), responses: z.record(z.string(), z.unknown()) }),
);
const Refusal = z.looseObject({
  content: z.object({ "application/json": z.looseObject({ example: z.object({ code: z.string() }) }) }),
});

/** A refusal, and the operations that have it. */
interface Shared {
  readonly response: unknown;
  readonly status: string;
  readonly users: { readonly id: string; readonly responses: object }[];
}

/**
 * Writes each refusal that several operations have once, as `components.responses`: they were two thirds of
 * the document. Names come from the code and, if it has several, from the first operation.
 */
export function shareResponses(document: Document): void {
  const found = new Map<string, Shared>();
  for (const methods of Object.values(document.paths ?? {})) {
    for (const [method, { operationId: id, responses }] of Object.entries(Operations.parse(methods))) {
      const written: unknown = Reflect.get(Reflect.get(methods, method), "responses");
      if (typeof written !== "object" || written === null) continue;
      for (const [status, response] of Object.entries(responses)) {
        if (status === "200") continue;
        const key = JSON.stringify([status, response]);
        const shared = found.get(key) ?? { response, status, users: [] };
        shared.users.push({ id, responses: written });
        found.set(key, shared);
      }
    }
  }
  const responses: Record<string, unknown> = {};
  for (const shared of found.values()) {
    if (shared.users.length < 2) continue;
    const name = nameFor(shared, responses);
    responses[name] = JSON.parse(JSON.stringify(shared.response));
    for (const user of shared.users)
      Reflect.set(user.responses, shared.status, { $ref: `#/components/responses/${name}` });
  }
  document.components = { ...document.components };
  Reflect.set(document.components, "responses", responses);
}

const Headers = z.record(z.string(), z.unknown());

/** Writes each header of responses, and of webhooks, once. A name has one meaning everywhere. */
export function shareHeaders(document: Document): void {
  const headers: Record<string, unknown> = {};
  const parameters: Record<string, unknown> = {};
  const share = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    const own: unknown = Reflect.get(part, "headers");
    for (const [name, header] of Object.entries(Headers.safeParse(own).data ?? {})) {
      headers[name] ??= header;
      if (own instanceof Object && isSame(headers[name], header)) Reflect.set(own, name, refTo("headers", name));
    }
  };
  for (const response of Object.values(document.components?.responses ?? {})) share(response);
  for (const methods of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(methods)) Object.values(Object(operation).responses ?? {}).forEach(share);
  }
  for (const methods of Object.values(document.webhooks ?? {})) {
    for (const operation of Object.values(methods)) {
      const own: unknown = Object(operation).parameters;
      if (!Array.isArray(own)) continue;
      const shared = own.map((one: unknown) => {
        const { name } = Named.parse(one);
        parameters[name] ??= one;
        return isSame(parameters[name], one) ? refTo("parameters", name) : one;
      });
      Reflect.set(Object(operation), "parameters", shared);
    }
  }
  document.components = { ...document.components };
  Reflect.set(document.components, "headers", headers);
  Reflect.set(document.components, "parameters", parameters);
}

const Named = z.looseObject({ name: z.string() });
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const refTo = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

function nameFor({ response, status, users: [first] }: Shared, taken: object): string {
  const { data } = Refusal.safeParse(response);
  const code = data ? data.content["application/json"].example.code : `status_${status}`;
  const name = code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  return Object.hasOwn(taken, name) ? `${name}Of${first?.id.replace(/^./, (letter) => letter.toUpperCase())}` : name;
}
