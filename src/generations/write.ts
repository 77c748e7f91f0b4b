import { SECOND } from "../core/time.ts";
import { JobFailed } from "../jobs/outcomes.ts";
import type { Chat } from "../models/chat.ts";
import type { ModelFailure } from "../models/outcome.ts";
import { askOnce } from "./ask.ts";
import { Filled, FORMS } from "./forms.ts";
import { materialPrompt, systemPrompt } from "./instructions.ts";
import { type Making, progressed } from "./making.ts";
import type { Generation } from "./table.ts";
import { Checked, checkWords, type Words } from "./words.ts";

/** The caption and prompts; models that reason take their time. */
const TIME_LIMIT_MS = 60 * SECOND;
/** Includes the reasoning. */
const MAX_TOKENS = 4_000;
const TEMPERATURE = 0.8;

/**
 * The texts of the generation, from a language model: one call, and one more if the answer cannot be used,
 * with its problems. Throws `JobFailed` with the reason.
 */
export async function writeWords(making: Making): Promise<Words> {
  const first = await ask(making, "words", []);
  if (first.kind === "usable") return first.words;
  const second = await ask(making, "words:repair", first.problems);
  if (second.kind === "usable") return second.words;
  const wrong = second.problems.join(" ");
  throw new JobFailed("model_unusable", `The language model's answer could not be used, twice: ${wrong}`);
}

async function ask(making: Making, name: string, problems: readonly string[]): Promise<Checked> {
  const { deps, project, generation } = making;
  const answer = await askOnce<Checked>(making, {
    name,
    schema: Checked,
    limitMs: TIME_LIMIT_MS + 5 * SECOND,
    ask: (signal) => fill(deps.chatFor(project), generation, problems, signal),
    settles: ({ kind }) => (kind === "usable" ? [progressed(making, "words")] : []),
  });
  return answer.kind === "made" ? answer.value : { kind: "unusable", problems: [answer.message] };
}

async function fill(
  chat: Chat,
  { type, input }: Pick<Generation, "type" | "input">,
  problems: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly kind: "ok"; readonly value: Checked } | ModelFailure> {
  const outcome = await chat.generate({
    system: systemPrompt(type),
    prompt: materialPrompt(input, problems),
    schema: FORMS[type],
    maxOutputTokens: MAX_TOKENS,
    temperature: TEMPERATURE,
    timeLimitMs: TIME_LIMIT_MS,
    signal,
  });
  if (outcome.kind === "failed") return outcome;
  return { kind: "ok", value: checkWords(Filled.parse({ type, form: outcome.value })) };
}
