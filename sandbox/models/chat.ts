// `POST /v1/chat/completions`: a complete response or a stream of events.

import type { Sandbox } from "../sandbox";
import { type Answer, answerTo, lastQuestion, markIn, tokensOf } from "./chat-answer";
import { type ChatRequest, readChatRequest, textOf } from "./chat-request";
import { ModelError, outage, requireModel } from "./errors";

const CONTEXT_TOKENS = 16_384;
/** Token overhead of a message. */
const MESSAGE_TOKENS = 4;

interface Completion {
  head: { id: string; created: number; model: string };
  choices: Answer[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

export async function complete(sandbox: Sandbox, sent: unknown): Promise<{ response: Response; said: Answer | null }> {
  const request = readChatRequest(sent);
  requireModel(request.model, "sandbox-chat");
  const promptTokens = request.messages.reduce((sum, one) => sum + MESSAGE_TOKENS + tokensOf(textOf(one)), 0);
  if (promptTokens > CONTEXT_TOKENS) {
    const message = `This model's maximum context length is ${CONTEXT_TOKENS} tokens. Your messages resulted in ${promptTokens}.`;
    throw new ModelError(400, message, { param: "messages", code: "context_length_exceeded" });
  }
  const mark = markIn(lastQuestion(request));
  if (mark === "error") throw outage();
  if (mark === "slow") await scheduler.wait(sandbox.settings.all.slow_ms);
  const choices = Array.from({ length: request.n ?? 1 }, (_, index) => answerTo(request, index));
  const spoken = choices.reduce((sum, { content, refusal }) => sum + tokensOf(content ?? refusal ?? ""), 0);
  const completion = {
    head: {
      id: `chatcmpl-${crypto.randomUUID().replaceAll("-", "")}`,
      created: Math.floor(sandbox.now() / 1000),
      model: request.model,
    },
    choices,
    usage: { prompt_tokens: promptTokens, completion_tokens: spoken, total_tokens: promptTokens + spoken },
  };
  return { response: request.stream ? streamed(request, completion) : whole(completion), said: choices[0] ?? null };
}

function whole({ head, choices, usage }: Completion): Response {
  return Response.json({
    ...head,
    object: "chat.completion",
    choices: choices.map(({ content, refusal, finish_reason }, index) => ({
      index,
      message: { role: "assistant", content, refusal },
      logprobs: null,
      finish_reason,
    })),
    usage,
    system_fingerprint: "fp_sandbox",
  });
}

/** Streams each choice word by word; ends with usage if requested. */
function streamed({ stream_options }: ChatRequest, { head, choices, usage }: Completion): Response {
  const counts = stream_options?.include_usage === true;
  const chunk = (list: object[], used: object | null = null) => ({
    ...head,
    object: "chat.completion.chunk",
    choices: list,
    ...(counts ? { usage: used } : {}),
  });
  const events = choices.flatMap(({ content, refusal, finish_reason }, index) => {
    const delta = (part: object, ended: string | null = null) =>
      chunk([{ index, delta: part, logprobs: null, finish_reason: ended }]);
    const words = content?.match(/\s*\S+\s*/g) ?? [];
    return [
      delta({ role: "assistant", content: "", refusal: null }),
      ...(refusal === null ? [] : [delta({ refusal })]),
      ...words.map((word) => delta({ content: word })),
      delta({}, finish_reason),
    ];
  });
  const all = [...events, ...(counts ? [chunk([], usage)] : [])].map((event) => JSON.stringify(event));
  const bytes = new TextEncoder();
  const body = new ReadableStream({
    start(controller) {
      for (const event of [...all, "[DONE]"]) controller.enqueue(bytes.encode(`data: ${event}\n\n`));
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream", "cache-control": "no-cache" } });
}
