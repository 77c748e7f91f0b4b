// `POST /v1/images/generations`: images that show the prompt.

import { z } from "zod";
import { blobPath } from "../blobs";
import type { Sandbox } from "../sandbox";
import { markIn, tokensOf } from "./chat-answer";
import { ModelError, moderated, outage, refusalOf, requireModel } from "./errors";
import { jpegOf } from "./jpeg";
import { pictureOf } from "./png";

const SIZES = ["256x256", "512x512", "1024x1024", "1024x1536", "1536x1024", "1024x1792", "1792x1024"] as const;
const ImageRequest = z.strictObject({
  model: z.string(),
  prompt: z.string().min(1).max(32_000),
  n: z.number().int().min(1).max(4).nullable().default(1),
  size: z
    .enum([...SIZES, "auto"])
    .nullable()
    .default("auto"),
  response_format: z.enum(["b64_json", "url"]).nullable().optional(),
  quality: z.string().nullable().optional(),
  background: z.string().nullable().optional(),
  moderation: z.string().nullable().optional(),
  output_format: z.enum(["png", "jpeg"]).nullable().optional(),
  user: z.string().optional(),
});

export interface Made {
  response: Response;
  /** Description for the call log. */
  said: string;
}

export async function makeImages(sandbox: Sandbox, sent: unknown, origin: string): Promise<Made> {
  const parsed = ImageRequest.safeParse(sent);
  if (!parsed.success) throw refusalOf(parsed.error);
  const { model, prompt, n, size, response_format, output_format } = parsed.data;
  requireModel(model, "sandbox-image");
  if (output_format && !sandbox.settings.all.models_image_formats.includes(output_format)) {
    const param = "output_format";
    throw new ModelError(400, `Invalid value for '${param}': '${output_format}'.`, { param, code: "invalid_value" });
  }
  const mark = markIn(prompt);
  if (mark === "error") throw outage();
  if (mark === "refuse") throw moderated();
  if (mark === "slow") await scheduler.wait(sandbox.settings.all.slow_ms);
  const [width = 1024, height = 1024] = (size === "auto" || size === null ? "1024x1024" : size).split("x").map(Number);
  const form = response_format ?? sandbox.settings.all.models_image_answers;
  const type = output_format ?? "png";
  const picture =
    mark === "garbage"
      ? new TextEncoder().encode("<html>This is no picture.</html>")
      : type === "jpeg"
        ? jpegOf(prompt, { width, height })
        : await pictureOf(prompt, { width, height });
  const one = () =>
    form === "url" ? { url: kept(sandbox, picture, `image/${type}`, origin) } : { b64_json: base64(picture) };
  const data = mark === "empty" ? [] : Array.from({ length: n ?? 1 }, one);
  const [input_tokens, output_tokens] = [tokensOf(prompt), Math.ceil((width * height) / 1000)];
  const usage = { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens };
  const response = Response.json({ created: Math.floor(sandbox.now() / 1000), data, usage });
  return { response, said: `${type} ${width}x${height}` };
}

function kept(sandbox: Sandbox, bytes: Uint8Array, type: string, origin: string): string {
  const id = sandbox.blobs.create(type);
  sandbox.blobs.append(id, bytes);
  return `${origin}${blobPath(id)}`;
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
