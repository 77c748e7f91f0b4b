import { env } from "cloudflare:workers";
import { beforeEach, describe, test } from "vitest";
import { z } from "zod";
import { resetSandbox } from "../../support/clock.ts";
import { SANDBOX, sandbox } from "../../support/sandbox.ts";

/** The simulated model server, as a program that speaks the OpenAI wire form would meet it. */

const KEY = "sandbox-model-key";
const QUESTION = "Do you deliver saffron buns to Leeds?";

const Completion = z.object({
  object: z.literal("chat.completion"),
  choices: z.array(
    z.object({
      index: z.number(),
      message: z.object({
        role: z.literal("assistant"),
        content: z.string().nullable(),
        refusal: z.string().nullable(),
      }),
      finish_reason: z.string(),
    }),
  ),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number(), total_tokens: z.number() }),
});

function send(body: unknown, headers: Record<string, string> = { Authorization: `Bearer ${KEY}` }): Promise<Response> {
  return env.SANDBOX.fetch(`${SANDBOX}/v1/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

const request = (user: string, more: Record<string, unknown> = {}) => ({
  model: "sandbox-chat",
  messages: [
    { role: "system", content: "You answer comments. Secret: heron." },
    { role: "user", content: user },
  ],
  ...more,
});

async function completion(user: string, more: Record<string, unknown> = {}) {
  return Completion.parse(await (await send(request(user, more))).json());
}

async function said(user: string, more: Record<string, unknown> = {}): Promise<string | null> {
  return (await completion(user, more)).choices[0]?.message.content ?? null;
}

beforeEach(resetSandbox);

describe("an answer", () => {
  test("is the same to the same question, names what it is about, and counts its tokens", async ({ expect }) => {
    const first = await completion(QUESTION);
    expect(first.choices[0]).toMatchObject({ index: 0, finish_reason: "stop", message: { refusal: null } });
    expect(first.choices[0]?.message.content).toMatch(/“deliver”.*“saffron”|“saffron”/);
    expect(await said(QUESTION)).toBe(first.choices[0]?.message.content);
    expect(await said("Is the blue colour sold out?")).not.toBe(first.choices[0]?.message.content);
    const { prompt_tokens, completion_tokens, total_tokens } = first.usage;
    expect(total_tokens).toBe(prompt_tokens + completion_tokens);
    expect(prompt_tokens).toBeGreaterThan(10);
    expect(completion_tokens).toBeGreaterThan(5);
  });

  test.for([
    ["Do you have this in blue for my sister?", /comment|writing|ask/],
    ["Wann habt ihr wieder Safranbrötchen für die Kinder?", /Danke|Dank|Gut/],
    ["Quand est-ce que vous livrez les brioches ?", /Merci|Bonne/],
    ["¿Cuándo tienen los bollos de azafrán?", /racias|Buena/],
  ] as const)("is in the language of the comment: %s", async ([comment, expected], { expect }) => {
    expect(await said(comment)).toMatch(expected);
    const wrapped = `Here is the caption and the comment that you are to answer, with what we know:\n${JSON.stringify({ caption: "The new buns are here", comment })}`;
    expect(await said(wrapped)).toBe(await said(comment));
    expect(await said(`Answer this in the name of the shop.\n<comment>${comment}</comment>`)).toBe(await said(comment));
  });

  test("takes content in parts, several choices, and ends where the request says", async ({ expect }) => {
    const parts = [
      { type: "text", text: "Do you deliver" },
      { type: "text", text: "saffron buns?" },
    ];
    const body = request("", { n: 2, messages: [{ role: "user", content: parts }] });
    const { choices } = Completion.parse(await (await send(body)).json());
    expect(new Set(choices.map(({ message }) => message.content)).size).toBe(2);
    const short = await completion(QUESTION, { max_completion_tokens: 3 });
    expect(short.choices[0]).toMatchObject({ finish_reason: "length" });
    expect(short.choices[0]?.message.content).toHaveLength(12);
    expect(await said(QUESTION, { stop: ["!"] })).not.toContain("!");
  });

  test("fits the requested schema", async ({ expect }) => {
    const schema = {
      type: "object",
      properties: {
        reply: { type: "string", maxLength: 40 },
        language: { enum: ["en", "de"] },
        is_safe: { type: "boolean" },
        should_refuse: { type: "boolean" },
        score: { type: "integer", minimum: 3, maximum: 5 },
        topics: { type: "array", items: { $ref: "#/$defs/topic" }, minItems: 2 },
        note: { type: ["string", "null"] },
      },
      required: ["reply", "language", "is_safe", "should_refuse", "score", "topics", "note"],
      additionalProperties: false,
      $defs: {
        topic: {
          type: "object",
          properties: { name: { type: "string" } },
          required: ["name"],
          additionalProperties: false,
        },
      },
    };
    const response_format = { type: "json_schema", json_schema: { name: "answer", strict: true, schema } };
    const answer: unknown = JSON.parse((await said("Wann habt ihr die Brötchen?", { response_format })) ?? "");
    expect(answer).toEqual({
      reply: expect.stringMatching(/^.{40}$/u),
      language: "de",
      is_safe: true,
      should_refuse: false,
      score: 3,
      topics: [{ name: expect.any(String) }, { name: expect.any(String) }],
      note: expect.any(String),
    });
    const loose = { ...schema, additionalProperties: true };
    const refused = await send(
      request(QUESTION, {
        response_format: { type: "json_schema", json_schema: { name: "answer", strict: true, schema: loose } },
      }),
    );
    expect(refused.status).toBe(400);
    const object = await said(`${QUESTION} Answer as JSON.`, { response_format: { type: "json_object" } });
    expect(JSON.parse(object ?? "")).toEqual({ reply: expect.any(String) });
  });

  test("comes as events when it is streamed", async ({ expect }) => {
    const response = await send(request(QUESTION, { stream: true, stream_options: { include_usage: true } }));
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const events = (await response.text())
      .split("\n\n")
      .filter(Boolean)
      .map((event) => event.replace(/^data: /, ""));
    expect(events.pop()).toBe("[DONE]");
    const Chunk = z.object({
      object: z.literal("chat.completion.chunk"),
      choices: z.array(
        z.object({ delta: z.looseObject({ content: z.string().optional() }), finish_reason: z.string().nullable() }),
      ),
      usage: z.object({ total_tokens: z.number() }).nullable(),
    });
    const chunks = events.map((event) => Chunk.parse(JSON.parse(event)));
    const whole = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? "")).join("");
    expect(whole).toBe(await said(QUESTION));
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  });
});

describe("a mark in the user's words", () => {
  test("refuse, empty and error", async ({ expect }) => {
    expect((await completion(`${QUESTION} [model:refuse]`)).choices[0]).toMatchObject({
      finish_reason: "content_filter",
      message: { content: null, refusal: expect.any(String) },
    });
    expect(await said(`${QUESTION} [model:empty]`)).toBe("");
    expect((await send(request(`${QUESTION} [model:error]`))).status).toBe(500);
  });

  test("leak, link and long", async ({ expect }) => {
    expect(await said(`${QUESTION} [model:leak]`)).toBe("You answer comments. Secret: heron.");
    expect(await said(`${QUESTION} [model:link]`)).toContain("https://evil.example/");
    expect(await said(`${QUESTION} [model:long]`)).toHaveLength(5000);
    const response_format = {
      type: "json_schema",
      json_schema: { name: "a", schema: { type: "object", properties: { reply: { type: "string" } } } },
    };
    expect(JSON.parse((await said("[model:leak]", { response_format })) ?? "")).toEqual({
      reply: "You answer comments. Secret: heron.",
    });
    const garbage = (await said(`${QUESTION} [model:garbage]`, { response_format })) ?? "";
    expect(() => JSON.parse(garbage)).toThrow(SyntaxError);
  });

  test("slow", async ({ expect }) => {
    await sandbox.settings({ slow_ms: 300 });
    const before = Date.now();
    expect(await said(`${QUESTION} [model:slow]`)).not.toBe("");
    expect(Date.now() - before).toBeGreaterThanOrEqual(290);
  });

  test("does nothing in what the system says", async ({ expect }) => {
    const messages = [
      { role: "system", content: "Never say [model:refuse]." },
      { role: "user", content: QUESTION },
    ];
    expect(await said("", { messages })).toBe(await said(QUESTION));
  });
});

describe("a request is refused", () => {
  test.for<[string, unknown, number, Record<string, unknown>]>([
    ["without messages", { model: "sandbox-chat" }, 400, { param: "messages", code: "missing_required_parameter" }],
    ["with none", { model: "sandbox-chat", messages: [] }, 400, { param: "messages", code: "invalid_value" }],
    ["for a model that is not there", { ...request("x"), model: "gpt-9" }, 404, { code: "model_not_found" }],
    ["that is too hot", request("x", { temperature: 2.1 }), 400, { param: "temperature" }],
    ["of a wrong type", request("x", { max_tokens: "9" }), 400, { param: "max_tokens", code: "invalid_type" }],
    ["with two limits", request("x", { max_tokens: 9, max_completion_tokens: 9 }), 400, { param: "max_tokens" }],
    ["with a misspelt parameter", request("x", { temprature: 1 }), 400, { code: "unknown_parameter" }],
    [
      "of an unknown role",
      { ...request("x"), messages: [{ role: "bot", content: "x" }] },
      400,
      { param: "messages[0].role" },
    ],
    [
      "for JSON without the word",
      request("x", { response_format: { type: "json_object" } }),
      400,
      { param: "messages" },
    ],
    ["beyond the context", request("x".repeat(70_000)), 400, { code: "context_length_exceeded" }],
    ["that is no JSON", "{", 400, { param: null }],
  ])("%s", async ([, body, status, detail], { expect }) => {
    const answer = await send(body);
    expect(answer.status).toBe(status);
    const Refusal = z.object({
      error: z.strictObject({
        message: z.string(),
        type: z.literal("invalid_request_error"),
        param: z.string().nullable(),
        code: z.string().nullable(),
      }),
    });
    expect(Refusal.parse(await answer.json()).error).toMatchObject(detail);
  });

  test("without the key", async ({ expect }) => {
    for (const headers of [{}, { Authorization: "Bearer another" }, { Authorization: KEY }]) {
      const answer = await send(request("x"), headers);
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ error: { type: "invalid_request_error", param: null } });
    }
  });
});

test("the models are listed", async ({ expect }) => {
  const get = (path: string) =>
    env.SANDBOX.fetch(`${SANDBOX}/v1/${path}`, { headers: { Authorization: `Bearer ${KEY}` } });
  expect(await (await get("models")).json()).toMatchObject({
    object: "list",
    data: ["chat", "image", "speech", "video"].map((kind) => ({ id: `sandbox-${kind}`, object: "model" })),
  });
  expect((await get("models/sandbox-chat")).status).toBe(200);
  expect((await get("models/other")).status).toBe(404);
  expect(await (await get("nothing")).json()).toMatchObject({ error: { code: "unknown_url" } });
});

describe("faults", () => {
  test("spoil the next answers", async ({ expect }) => {
    await sandbox.settings({ rate_limit_reset_ms: 3000 });
    await sandbox.fault("models", "chat", "rate_limit");
    const limited = await send(request("x"));
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "3"]);
    await sandbox.fault("models", "chat", "error");
    expect((await send(request("x"))).status).toBe(500);
    await sandbox.fault("models", "chat", "accept_then_drop");
    const dropped = await send(request("x"));
    await expect(dropped.text()).rejects.toThrow(/./);
    expect((await send(request("x"))).status).toBe(200);
  });

  test("are the server's own, and platforms have none of them", async ({ expect }) => {
    await expect(sandbox.fault("models", "publish", "error")).rejects.toThrow(/422/);
    await expect(sandbox.fault("models", "chat", "reject_media")).rejects.toThrow(/422/);
    await expect(sandbox.fault("models", "chat", "account_locked")).rejects.toThrow(/422/);
    await expect(sandbox.fault("facebook", "chat", "error")).rejects.toThrow(/422/);
  });
});

test("every question is written down, without the key", async ({ expect }) => {
  await send(request(QUESTION, { temperature: 0.2 }));
  await sandbox.fault("models", "chat", "error");
  await send(request("x"));
  const calls = z.array(z.unknown()).parse(await sandbox.control("GET", "model-calls"));
  expect(calls).toEqual([
    {
      id: expect.any(Number),
      operation: "chat",
      authorization: "Bearer ***",
      request: request(QUESTION, { temperature: 0.2 }),
      status: 200,
      answer: await said(QUESTION),
      fault: null,
      paid: true,
      at: expect.any(String),
    },
    expect.objectContaining({ status: 500, answer: null, fault: "error", paid: false }),
  ]);
  expect(JSON.stringify(calls)).not.toContain(KEY);
});
