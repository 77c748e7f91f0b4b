import { z } from "@hono/zod-openapi";
import { isoUtc } from "../../core/time.ts";
import { Done, operation } from "../../http/operation.ts";
import { rotateProjectKey } from "../manage.ts";
import { EXAMPLE_SECRET, Secret } from "../schema.ts";
import { ROTATED } from "../sentences.ts";
import { COMMON } from "./common.ts";

export const RotateGenerationSecret = operation({
  ...COMMON,
  id: "rotateGenerationSecret",
  audited: true,
  method: "post",
  path: "/social/rotate-generation-secret",
  summary: "Rotate the secret of web_hook",
  description:
    "Creates a new secret for the project's messages to `web_hook` (create-post-generation). For a day every message also has a signature of the previous secret.",
  answer: z.object({ message: z.string(), secret: Secret, old_secret_until: z.string(), status: Done }),
  answerDescription: "The new secret.",
  example: {
    message: ROTATED,
    secret: EXAMPLE_SECRET,
    old_secret_until: "2030-03-06T10:00:00.000+00:00",
    status: true,
  },
  run: async ({ deps, caller }) => {
    const { secret, oldUntil } = await rotateProjectKey(deps, caller);
    const old_secret_until = isoUtc(oldUntil);
    return { message: ROTATED, secret, old_secret_until, status: true } as const;
  },
});
