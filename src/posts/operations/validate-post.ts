import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { ignoredFields } from "../create/post-kinds.ts";
import { validatePost } from "../create/validate.ts";
import { toValidatedView, VALIDATED_EXAMPLE, VALIDATED_VIEW } from "../create/validated-view.ts";
import { CreatePostBody } from "../schema.ts";

export const ValidatePost = operation({
  id: "validatePost",
  method: "post",
  path: "/social/validate-post",
  tag: "Posts",
  permission: ["social-create-post", "social-propose-post"],
  extension: true,
  summary: "Check a post without creating it",
  description:
    "Runs all checks of create-post, including checks of media files for up to about 15 seconds. A post that would fail returns a 422 with the reason.",
  quotas: "concurrent requests that check media",
  body: CreatePostBody,
  answer: z.object({
    message: z.string(),
    valid: z.literal(true),
    ...VALIDATED_VIEW,
    status: Done,
  }),
  answerDescription: "What would be published.",
  example: {
    message: "The post can be published.",
    valid: true,
    ...VALIDATED_EXAMPLE,
    status: true,
  },
  run: async ({ deps, caller, warn }, { body }) => {
    warn(...ignoredFields(body));
    const found = await validatePost(deps, caller, body);
    warn(...found.warnings.map(({ message }) => message));
    const message = "The post can be published.";
    return { message, valid: true, ...toValidatedView(found), status: true } as const;
  },
});
