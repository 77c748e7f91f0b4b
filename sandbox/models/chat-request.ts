// The accepted chat parameters. As on real servers, an unknown parameter is an error.

import { z } from "zod";
import { ModelError, refusalOf } from "./errors";
import { checkStrict, JsonSchema } from "./json-schema";

const TextPart = z.strictObject({ type: z.literal("text"), text: z.string() });
const Content = z.union([z.string(), z.array(TextPart).min(1)]);
const name = z.string().min(1).max(64).optional();
const Message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("system"), content: Content, name }),
  z.strictObject({ role: z.literal("developer"), content: Content, name }),
  z.strictObject({ role: z.literal("user"), content: Content, name }),
  z.strictObject({
    role: z.literal("assistant"),
    content: Content.nullable(),
    refusal: z.string().nullable().optional(),
    name,
  }),
]);
export type Message = z.infer<typeof Message>;

const ResponseFormat = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text") }),
  z.strictObject({ type: z.literal("json_object") }),
  z.strictObject({
    type: z.literal("json_schema"),
    json_schema: z.strictObject({
      name: z.string().regex(/^[\w-]{1,64}$/),
      description: z.string().optional(),
      schema: JsonSchema,
      strict: z.boolean().nullable().optional(),
    }),
  }),
]);

const penalty = z.number().min(-2).max(2).nullable().optional();
const tokens = z.number().int().min(1).nullable().optional();
const ChatRequest = z.strictObject({
  model: z.string(),
  messages: z.array(Message).min(1),
  temperature: z.number().min(0).max(2).nullable().optional(),
  top_p: z.number().min(0).max(1).nullable().optional(),
  n: z.number().int().min(1).max(8).nullable().optional(),
  stream: z.boolean().nullable().optional(),
  stream_options: z.strictObject({ include_usage: z.boolean().optional() }).nullable().optional(),
  max_tokens: tokens,
  max_completion_tokens: tokens,
  response_format: ResponseFormat.optional(),
  stop: z
    .union([z.string(), z.array(z.string()).max(4)])
    .nullable()
    .optional(),
  presence_penalty: penalty,
  frequency_penalty: penalty,
  seed: z.number().int().nullable().optional(),
  user: z.string().optional(),
  safety_identifier: z.string().optional(),
  metadata: z.record(z.string(), z.string()).nullable().optional(),
  store: z.boolean().nullable().optional(),
  service_tier: z.string().nullable().optional(),
  reasoning_effort: z.string().nullable().optional(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

/** Throws the error that an invalid request receives. */
export function readChatRequest(sent: unknown): ChatRequest {
  const parsed = ChatRequest.safeParse(sent);
  if (!parsed.success) throw refusalOf(parsed.error);
  const request = parsed.data;
  if (request.max_tokens && request.max_completion_tokens) {
    const message = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.";
    throw new ModelError(400, message, { param: "max_tokens", code: "invalid_parameter_combination" });
  }
  if (request.stream_options && !request.stream) {
    throw new ModelError(400, "The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: "stream_options",
    });
  }
  const format = request.response_format;
  if (format?.type === "json_object" && !request.messages.some((message) => /json/i.test(textOf(message)))) {
    const message =
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.";
    throw new ModelError(400, message, { param: "messages" });
  }
  if (format?.type === "json_schema" && format.json_schema.strict)
    checkStrict(format.json_schema.name, format.json_schema.schema);
  return request;
}

export function textOf({ content }: Message): string {
  if (content === null || typeof content === "string") return content ?? "";
  return content.map((part) => part.text).join("\n");
}
