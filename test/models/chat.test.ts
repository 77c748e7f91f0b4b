import { describe, test } from "vitest";
import { z } from "zod";
import { type ChatOptions, createChat } from "../../src/models/chat.ts";

/** The model client against scripted servers. */

const SERVER = { baseUrl: "https://models.example/v1", apiKey: "sk-very-secret-key", model: "small" };
const Reply = z.object({ comment: z.string().nullable() });
const QUESTION = { system: "Be kind.", prompt: "Hello", schema: Reply, maxOutputTokens: 300, temperature: 0.7 };

type Answer = Response | Error | ((signal: AbortSignal) => Promise<Response>);

async function request(
  answers: readonly Answer[],
  options: Omit<ChatOptions, "fetch"> & { signal?: AbortSignal } = {},
) {
  const { signal, ...rest } = options;
  const left = [...answers];
  const calls: { url: string; headers: Headers; redirect: unknown; body: unknown }[] = [];
  const reach: typeof fetch = async (input, init) => {
    const { headers, body, redirect } = init ?? {};
    calls.push({ url: String(input), headers: new Headers(headers), redirect, body: JSON.parse(String(body)) });
    const answer = left.shift();
    if (answer === undefined) throw new Error("Nobody expected another call.");
    if (answer instanceof Error) throw answer;
    if (answer instanceof Response) return answer;
    return answer(init?.signal ?? new AbortController().signal);
  };
  const chat = createChat(SERVER, { ...rest, fetch: reach });
  return { outcome: await chat.generate({ ...QUESTION, ...(signal ? { signal } : {}) }), calls };
}

const completion = (message: object, finish_reason: string | null = "stop", usage: object | null = null) =>
  Response.json({
    id: "c",
    object: "chat.completion",
    model: "small",
    choices: [{ index: 0, message, finish_reason }],
    usage,
  });
const saying = (content: string | null, finish?: string) => completion({ role: "assistant", content }, finish);
const status = (code: number, headers: HeadersInit = {}) =>
  new Response(JSON.stringify({ error: { message: "Incorrect API key: sk-very-secret-key. Hello" } }), {
    status: code,
    headers,
  });

const ANSWER = '{"comment":"Hi!"}';
const HI = { kind: "ok", value: { comment: "Hi!" } };

test("one question in the OpenAI form, with the form of the answer; the tokens are counted", async ({ expect }) => {
  const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };
  const { outcome, calls } = await request([completion({ role: "assistant", content: ANSWER }, "stop", usage)]);
  expect(outcome).toEqual({ ...HI, usage: { input: 12, output: 5 } });
  expect(calls).toHaveLength(1);
  const [call] = calls;
  expect(call?.url).toBe("https://models.example/v1/chat/completions");
  expect(call?.headers.get("authorization")).toBe("Bearer sk-very-secret-key");
  expect(call?.redirect).toBe("manual");
  expect(call?.body).toMatchObject({
    model: "small",
    max_tokens: 300,
    temperature: 0.7,
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: "Hello" },
    ],
    response_format: {
      type: "json_schema",
      json_schema: { strict: true, schema: { type: "object", required: ["comment"], additionalProperties: false } },
    },
  });
});

describe("the value is found", () => {
  test.for([
    ["bare", ANSWER],
    ["in a fence", `\`\`\`json\n${ANSWER}\n\`\`\``],
    ["after a preface", `Sure! Here it is:\n\n${ANSWER}\n\nAnything else?`],
    ["after thoughts", `<think>A {brace} or "comment"…</think>\n${ANSWER}`],
    ["among fields that nobody asked for", '{"comment":"Hi!","__proto__":{"a":1},"role":"system"}'],
  ])("%s", async ([, text], { expect }) => {
    const { outcome } = await request([saying(text ?? "")]);
    expect(outcome).toMatchObject(HI);
    expect(outcome).toEqual({ ...HI, usage: { input: null, output: null } });
  });

  test("without the form, or what else a server does not take, by a second and plainer question", async ({
    expect,
  }) => {
    for (const code of [400, 422]) {
      const { outcome, calls } = await request([status(code), saying(ANSWER)]);
      expect(outcome).toMatchObject(HI);
      expect(calls[1]?.body).toEqual({
        model: "small",
        max_completion_tokens: 300,
        messages: [
          { role: "system", content: "Be kind." },
          { role: "user", content: "Hello" },
        ],
      });
    }
  });
});

describe("what is no answer", () => {
  test.for([
    ["no JSON", saying("I would love to!")],
    ["JSON of another form", saying('{"comment":7}')],
    ["an array", saying("[1]")],
    ["cut off", saying('{"comment":"Hi', "length")],
    ["nothing", saying(null)],
    ["nothing but thoughts", saying("<think>{}</think>")],
    ["no choice", Response.json({ choices: [] })],
    ["a page", new Response("<html>Welcome</html>", { headers: { "content-type": "text/html" } })],
    ["too long", saying(`{"comment":"${"x".repeat(300_000)}"}`)],
    [
      "a call of a tool",
      completion(
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "{}" } }],
        },
        "tool_calls",
      ),
    ],
  ] as const)("%s is invalid", async ([, answer], { expect }) => {
    const { outcome, calls } = await request([answer]);
    expect(outcome).toMatchObject({ kind: "failed", reason: "invalid" });
    expect(calls).toHaveLength(1);
  });

  test.for([
    ["refused", 400, [status(400)]],
    ["refused", 413, []],
    ["refused", 451, []],
    ["not_configured", 301, []],
    ["not_configured", 401, []],
    ["not_configured", 402, []],
    ["not_configured", 403, []],
    ["not_configured", 404, []],
    ["throttled", 429, []],
    ["down", 408, []],
    ["down", 500, []],
    ["down", 503, []],
    ["down", 529, []],
  ] as const)("%s: status %i, which nothing is asked again for", async ([reason, code, more], { expect }) => {
    const { outcome, calls } = await request([status(code), ...more]);
    expect(outcome).toMatchObject({ kind: "failed", reason });
    expect(calls).toHaveLength(1 + more.length);
    // Neither the key nor what the server says, which quotes what was sent.
    expect(JSON.stringify(outcome)).not.toMatch(/secret|sk-|Incorrect|Hello/);
  });

  test("a refusal of the model or its filter is one", async ({ expect }) => {
    const refusal = completion({ role: "assistant", content: null, refusal: "I can't help with that." });
    expect((await request([refusal])).outcome).toMatchObject({ reason: "refused" });
    expect((await request([saying("", "content_filter")])).outcome).toMatchObject({ reason: "refused" });
  });

  test("waits are reported in seconds", async ({ expect }) => {
    const waits = async (headers: HeadersInit) => (await request([status(429, headers)])).outcome;
    expect(await waits({ "Retry-After": "17" })).toMatchObject({ retryAfterSeconds: 17 });
    expect(await waits({ "Retry-After": new Date(Date.now() - 5_000).toUTCString() })).toMatchObject({
      retryAfterSeconds: 0,
    });
    for (const headers of [{}, { "Retry-After": "soon" }])
      expect(await waits(headers)).not.toHaveProperty("retryAfterSeconds");
    expect((await request([status(503, { "Retry-After": "3" })])).outcome).toMatchObject({
      reason: "down",
      retryAfterSeconds: 3,
    });
  });

  const silence = (signal: AbortSignal) =>
    new Promise<Response>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const drip = async () =>
    new Response(new ReadableStream({ start: (pipe) => pipe.enqueue(new TextEncoder().encode("{")) }));

  test.for([
    ["no connection", new TypeError("fetch failed"), undefined],
    ["silence", silence, 20],
    ["a body that never ends", drip, 20],
  ] as const)("%s is down", async ([, answer, timeLimitMs], { expect }) => {
    const { outcome, calls } = await request([answer], timeLimitMs === undefined ? {} : { timeLimitMs });
    expect(outcome).toMatchObject({ kind: "failed", reason: "down" });
    expect(calls).toHaveLength(1);
  });

  test("a caller may abort", async ({ expect }) => {
    expect((await request([silence], { signal: AbortSignal.timeout(20) })).outcome).toMatchObject({ reason: "down" });
  });
});
