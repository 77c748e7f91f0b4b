import { z } from "@hono/zod-openapi";
import { AppError } from "../../core/errors.ts";
import { plural } from "../../core/text.ts";
import { operation } from "../../http/operation.ts";
import { validateTogether } from "../create/validate.ts";
import { toValidatedView, VALIDATED_EXAMPLE, VALIDATED_VIEW } from "../create/validated-view.ts";
import { toRefusal } from "../many/create-many.ts";
import { readItems } from "../many/item-schema.ts";
import { CreatedView, RefusedView, ValidatePostsBody } from "../many/many-schema.ts";
import { refusedView, warningsOf } from "./many-common.ts";

const ValidView = z
  .object({
    index: CreatedView.shape.index,
    status: z.literal(true),
    ...VALIDATED_VIEW,
    warnings: CreatedView.shape.warnings,
  })
  .openapi("ValidOfMany");

export const ValidatePosts = operation({
  id: "validatePosts",
  method: "post",
  path: "/social/validate-posts",
  tag: "Posts",
  permission: ["social-create-post", "social-propose-post"],
  extension: true,
  summary: "Check up to 100 posts without creating them",
  description:
    "Runs the checks of validate-post for each post and returns a result for each. A file that several posts have is read once; all files together take up to about 15 seconds.",
  quotas: "concurrent requests that check media",
  body: ValidatePostsBody,
  answer: z.object({
    message: z.string(),
    valid: z.boolean(),
    results: z.array(z.union([ValidView, RefusedView])),
    status: z.literal(true),
  }),
  answerDescription: "The result of each post, in the order of `posts`.",
  example: {
    message: "1 of 1 posts can be published.",
    valid: true,
    results: [{ index: 0, status: true, ...VALIDATED_EXAMPLE }],
    status: true,
  },
  run: async ({ deps, caller, origin }, { body }) => {
    const { long_text: longText = "refuse", defaults = {}, posts } = body;
    const items = readItems(defaults, posts);
    const checked = await validateTogether(
      deps,
      caller,
      items.map(({ body }) => body),
      { longText },
    );
    const results = checked.map((found, index) => {
      const item = items[index];
      if (found instanceof AppError) return refusedView({ outcome: toRefusal(found), index, item, origin });
      const sentences = found.warnings.map(({ message }) => message);
      const warnings = warningsOf(item, sentences);
      return { index, status: true as const, ...toValidatedView(found), ...warnings } as const;
    });
    const count = results.filter((result) => result.status).length;
    const message = `${count} of ${plural(results.length, "post")} can be published.`;
    return { message, valid: count === results.length, results, status: true } as const;
  },
});
