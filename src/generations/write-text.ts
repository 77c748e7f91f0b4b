import { SECOND } from "../core/time.ts";
import { JobFailed } from "../jobs/outcomes.ts";
import type { Chat } from "../models/chat.ts";
import type { ModelFailure, Usage } from "../models/outcome.ts";
import { callModelOnce } from "./call-model.ts";
import { CheckedText, checkWords, type GeneratedText } from "./generated-text.ts";
import { type GenerationRun, progressEvent } from "./generation-run.ts";
import { materialPrompt, systemPrompt } from "./instructions.ts";
import { ModelResponse, RESPONSE_SCHEMAS } from "./response-schemas.ts";
import type { Generation } from "./table.ts";

/** The caption and prompts; models that reason take their time. */
const TIME_LIMIT_MS = 60 * SECOND;
/** Includes the reasoning. */
const MAX_TOKENS = 4_000;
const TEMPERATURE = 0.8;

/**
 * The texts of the generation, from a language model: one call, and one more if the answer cannot be used,
 * with its problems. Throws `JobFailed` with the reason.
 */
export async function writeText(making: GenerationRun): Promise<GeneratedText> {
  const first = await requestText(making, "words", []);
  if (first.kind === "usable") return first.words;
  const second = await requestText(making, "words:repair", first.problems);
  if (second.kind === "usable") return second.words;
  const wrong = second.problems.join(" ");
  throw new JobFailed("model_unusable", `The language model's answer could not be used, twice: ${wrong}`);
}

async function requestText(making: GenerationRun, name: string, problems: readonly string[]): Promise<CheckedText> {
  const { deps, project, generation } = making;
  const answer = await callModelOnce<CheckedText>(making, {
    name,
    schema: CheckedText,
    operation: "text",
    limitMs: TIME_LIMIT_MS + 5 * SECOND,
    call: (signal) => fill(deps.chatFor(project), generation, problems, signal),
    settles: ({ kind }) => (kind === "usable" ? [progressEvent(making, "words")] : []),
  });
  return answer.kind === "made" ? answer.value : { kind: "unusable", problems: [answer.message] };
}

async function fill(
  chat: Chat,
  { type, input, platforms }: Pick<Generation, "type" | "input" | "platforms">,
  problems: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly kind: "ok"; readonly value: CheckedText; readonly usage: Usage } | ModelFailure> {
  const outcome = await chat.generate({
    system: systemPrompt(type, platforms),
    prompt: materialPrompt(input, problems),
    schema: RESPONSE_SCHEMAS[type],
    maxOutputTokens: MAX_TOKENS,
    temperature: TEMPERATURE,
    timeLimitMs: TIME_LIMIT_MS,
    signal,
  });
  if (outcome.kind === "failed") return outcome;
  const { value, usage } = outcome;
  return { kind: "ok", value: checkWords(ModelResponse.parse({ type, form: value }), platforms), usage };
}
