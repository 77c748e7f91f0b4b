import { Validator } from "@cfworker/json-schema";
import { z } from "zod";
import { withoutExamples } from "../support/schemas.ts";
import type { Case } from "./cases.ts";
import type { Api } from "./document.ts";

/** Whether an answer is what the OpenAPI document promises. In workerd and in Node. */

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const ErrorBody = z.looseObject({
  status: z.literal(false),
  message: z.string().min(10),
  code: z.string().regex(/^[a-z_]+$/),
});

export type Judge = (request: Case, answer: Answer) => readonly string[];

/** Returns what is wrong with an answer; nothing for a good one. */
export function createJudge(api: Api): Judge {
  const validators = new Map<string, Validator>();
  const components = { schemas: withoutExamples(api.schemas) };
  const validatorOf = (id: string, status: number, schema: object): Validator => {
    const key = `${id} ${status}`;
    const known = validators.get(key) ?? new Validator({ ...schema, components }, "2020-12");
    validators.set(key, known);
    return known;
  };
  return (request, { status, headers, text }) => {
    const problems: string[] = [];
    if (status >= 500) problems.push(`${status}: ${text.slice(0, 300)}`);
    if (!headers.get("X-Request-Id")) problems.push("no X-Request-Id");
    if (request.method === "HEAD") return problems;
    const isJson = headers.get("Content-Type")?.startsWith("application/json") ?? false;
    const body = isJson ? parse(text) : undefined;
    if (isJson && body === undefined) problems.push(`no JSON: ${text.slice(0, 200)}`);
    const isApi = request.target.startsWith(`${api.base}/`);
    if (status >= 400 && isApi && !ErrorBody.safeParse(body).success) {
      problems.push(`no error body: ${status} ${text.slice(0, 200)}`);
    }
    const { operation } = request;
    if (!operation) return problems;
    const schema = operation.answers.get(status);
    if (!operation.answers.has(status))
      problems.push(`${operation.id} does not document ${status}: ${text.slice(0, 200)}`);
    if (schema) {
      const { valid, errors } = validatorOf(operation.id, status, schema).validate(body ?? null);
      const why = errors.at(-1);
      if (!valid) problems.push(`not as documented: ${why?.instanceLocation} ${why?.error}: ${text.slice(0, 300)}`);
    }
    return problems;
  };
}

function parse(text: string): unknown {
  try {
    return wellFormed(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * Halves of characters are replaced: the validator writes addresses of what it finds, and no address can hold
 * them.
 */
function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.toWellFormed(), wellFormed(one)]));
}
