// `POST /v1/audio/speech`: the text as tones.

import { z } from "zod";
import type { Sandbox } from "../sandbox";
import { markIn } from "./chat-answer";
import { moderated, outage, refusalOf, requireModel } from "./errors";
import type { Made } from "./images";
import { mp3Of, secondsOf, wavOf } from "./sound";

const SpeechRequest = z.strictObject({
  model: z.string(),
  input: z.string().min(1).max(4096),
  voice: z.enum(["alloy", "ash", "ballad", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer", "verse"]),
  response_format: z.enum(["mp3", "wav"]).default("mp3"),
  speed: z.number().min(0.25).max(4).optional(),
  instructions: z.string().max(4096).optional(),
});

export async function speak(sandbox: Sandbox, sent: unknown): Promise<Made> {
  const parsed = SpeechRequest.safeParse(sent);
  if (!parsed.success) throw refusalOf(parsed.error);
  const { model, input, response_format: form } = parsed.data;
  requireModel(model, "sandbox-speech");
  const mark = markIn(input);
  if (mark === "error") throw outage();
  if (mark === "refuse") throw moderated();
  if (mark === "slow") await scheduler.wait(sandbox.settings.all.slow_ms);
  const headers = { "content-type": form === "wav" ? "audio/wav" : "audio/mpeg" };
  const said = `speech ${form} ${secondsOf(input).toFixed(2)} s`;
  if (mark === "empty") return { response: new Response(null, { headers }), said };
  if (mark === "garbage") return { response: new Response("This is no sound.", { headers }), said };
  return { response: new Response(form === "wav" ? wavOf(input) : mp3Of(input), { headers }), said };
}
