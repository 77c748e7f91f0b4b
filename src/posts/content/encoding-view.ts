import { z } from "@hono/zod-openapi";
import type { EncodingRules } from "../../platforms/rules.ts";

/** The encodings of videos that a platform documents, as data. */
const numberOrNull = (description: string) => z.number().nullable().openapi({ description });

export const EncodingView = z
  .object({
    codecs: z.array(z.string()).openapi({ description: "Empty: none is documented.", example: ["H.264", "HEVC"] }),
    other_codecs: z.enum(["refused", "warned"]).openapi({
      description:
        "What happens to another codec. `warned`: the platform documents examples or nothing, so the file is sent, with a warning.",
    }),
    chroma: z.array(z.string()).openapi({ example: ["4:2:0"] }),
    max_bit_depth: numberOrNull("Bits a sample."),
    takes_hdr: z.boolean().openapi({ description: "Whether a high dynamic range is documented." }),
    min_frame_rate: numberOrNull("Frames a second, on average."),
    max_frame_rate: numberOrNull("Frames a second, on average."),
    audio_codecs: z.array(z.string()).openapi({ description: "Empty: none is documented.", example: ["AAC"] }),
    max_audio_channels: numberOrNull("2 for stereo."),
    max_audio_hz: numberOrNull("Samples a second."),
  })
  .openapi("EncodingRules", {
    description:
      "What the platform documents of the encoding of videos: another value is refused. An empty list and null stand for nothing documented: an unusual value is a warning.",
  });

export function toEncodingView(rules: EncodingRules) {
  const { codecs = [], others = codecs.length === 0 ? "warned" : "refused", chroma = [], audioCodecs = [] } = rules;
  return {
    codecs: [...codecs],
    other_codecs: others,
    chroma: [...chroma],
    max_bit_depth: rules.maxBitDepth ?? null,
    takes_hdr: rules.takesHdr ?? false,
    min_frame_rate: rules.minFps ?? null,
    max_frame_rate: rules.maxFps ?? null,
    audio_codecs: [...audioCodecs],
    max_audio_channels: rules.maxChannels ?? null,
    max_audio_hz: rules.maxHz ?? null,
  };
}
