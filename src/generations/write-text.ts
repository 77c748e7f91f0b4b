import { z } from "zod";
import { problemWith } from "../banners/copy.ts";
import { SECOND } from "../core/time.ts";
import { JobFailed } from "../jobs/outcomes.ts";
import type { Chat } from "../models/chat.ts";
import type { ModelFailure, Usage } from "../models/outcome.ts";
import { askBanners } from "./banner.ts";
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
    settles: (text) => (text.kind === "usable" && text.words.banner === null ? [progressEvent(making, "words")] : []),
  });
  if (answer.kind !== "made") return { kind: "unusable", problems: [answer.message] };
  return withLetters(making, name, answer.value);
}

/**
 * Refuses a banner with characters that no font has. They are looked up where the fonts are, after the answer
 * is stored: a Worker that is away for a while must not cost a paid answer.
 */
async function withLetters(making: GenerationRun, name: string, text: CheckedText): Promise<CheckedText> {
  if (text.kind === "unusable" || text.words.banner === null) return text;
  const { banner } = text.words;
  const step = `${name}:letters`;
  const known = making.journal.read(step, Missing);
  const missing = known ?? (await askBanners(making, step, (banners) => banners.uncovered(banner)));
  if (known === null)
    await making.journal.write(step, missing, missing.length === 0 ? [progressEvent(making, "words")] : []);
  return missing.length === 0 ? text : { kind: "unusable", problems: [`"banner": ${problemWith(missing)}`] };
}
const Missing = z.array(z.string()).readonly();

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
