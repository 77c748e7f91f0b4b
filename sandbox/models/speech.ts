// `POST /v1/audio/speech`: the text as tones.

import { z } from "zod";
import type { Sandbox } from "../sandbox";
import { aacOf } from "./aac";
import { markIn } from "./chat-answer";
import { ModelError, moderated, outage, refusalOf, requireModel } from "./errors";
import type { Made } from "./images";
import { mp3Of, secondsOf, wavOf } from "./sound";

const FORMS = {
  mp3: { mime: "audio/mpeg", make: mp3Of },
  wav: { mime: "audio/wav", make: wavOf },
  aac: { mime: "audio/aac", make: aacOf },
};

const SpeechRequest = z.strictObject({
  model: z.string(),
  input: z.string().min(1).max(4096),
  voice: z.enum(["alloy", "ash", "ballad", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer", "verse"]),
  response_format: z.enum(["mp3", "wav", "aac"]).default("mp3"),
  speed: z.number().min(0.25).max(4).optional(),
  instructions: z.string().max(4096).optional(),
});

export async function speak(sandbox: Sandbox, sent: unknown): Promise<Made> {
  const parsed = SpeechRequest.safeParse(sent);
  if (!parsed.success) throw refusalOf(parsed.error);
  const { model, input, response_format: form } = parsed.data;
  requireModel(model, "sandbox-speech");
  if (!sandbox.settings.all.models_speech_formats.includes(form)) {
    const param = "response_format";
    throw new ModelError(400, `Invalid value for '${param}': '${form}'.`, { param, code: "invalid_value" });
  }
  const mark = markIn(input);
  if (mark === "error") throw outage();
  if (mark === "refuse") throw moderated();
  if (mark === "slow") await scheduler.wait(sandbox.settings.all.slow_ms);
  const { mime, make } = FORMS[form];
  const headers = { "content-type": mime };
  const said = `speech ${form} ${secondsOf(input).toFixed(2)} s`;
  if (mark === "empty") return { response: new Response(null, { headers }), said };
  if (mark === "garbage") return { response: new Response("This is no sound.", { headers }), said };
  return { response: new Response(make(input), { headers }), said };
}
