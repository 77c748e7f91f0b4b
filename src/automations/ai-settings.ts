import { z } from "@hono/zod-openapi";

export const YesOrNo = z.enum(["yes", "no"]);

/** How a bot writes (spec 2.8). The service chooses what is absent. */
export const AiSettings = z
  .object({
    response_tone: z.enum(["friendly", "professional", "casual", "helpful", "empathetic", "enthusiastic"]).optional(),
    response_length: z.enum(["very short", "short", "medium", "long"]).optional(),
    ai_personality: z.enum(["assistant", "expert", "friend", "educator", "customer support", "promoter"]).optional(),
    creativity_level: z.enum(["conservative", "balanced", "creative", "highly creative"]).optional(),
    language_style: z.enum(["conversational", "formal", "technical", "simple"]).optional(),
    emoji_usage: z.enum(["none", "minimal", "moderate", "abundant"]).optional(),
    /** An extension, read back only if it was sent. Absent: `yes`. */
    disclose: YesOrNo.optional().openapi({
      description:
        'Whether answers of a model end with a short suffix in their language, such as "(automated reply)". Default: `yes`.',
    }),
  })
  .openapi("AiSettings", { description: "How the bot writes its replies." });
export type AiSettings = z.infer<typeof AiSettings>;
