import { z } from "@hono/zod-openapi";

/** The caller's own labels of a post: an external id and metadata. */

export const ExternalId = z.string().min(1).max(255).openapi({
  example: "order-1842",
  description: "Your own id of the post. Returned with `include=content` and in events. get-posts can filter by it.",
});

const MAX_KEYS = 20;
const KEY = /^[A-Za-z0-9_.-]{1,40}$/;
const MAX_VALUE = 500;

/** Parsed by hand because zod's record silently drops a key `__proto__`. */
export const Metadata = z
  .unknown()
  .transform((value, context): Readonly<Record<string, string>> => {
    const problem = (message: string, ...path: string[]) => context.addIssue({ code: "custom", path, message });
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      problem("must be an object of strings");
      return z.NEVER;
    }
    const entries = Object.entries(value);
    if (entries.length > MAX_KEYS) problem(`must have at most ${MAX_KEYS} entries, not ${entries.length}.`);
    const texts = entries.slice(0, MAX_KEYS).flatMap(([key, text]): [string, string][] => {
      if (!KEY.test(key) || key === "__proto__") {
        problem(
          "must not have names other than 1 to 40 of the characters A-Z, a-z, 0-9, _, . and -, nor __proto__.",
          key,
        );
      } else if (typeof text !== "string") problem("must be a string", key);
      else if (text.length > MAX_VALUE) problem(`must have at most ${MAX_VALUE} characters, not ${text.length}.`, key);
      else return [[key, text]];
      return [];
    });
    return Object.fromEntries(texts);
  })
  .openapi({
    type: "object",
    additionalProperties: { type: "string", maxLength: MAX_VALUE },
    maxProperties: MAX_KEYS,
    example: { campaign: "spring", author: "ada" },
    description:
      "Your own key-value data. Keys have 1 to 40 of the characters A-Z, a-z, 0-9, _, . and -; values have at most 500 characters. Returned like `external_id`.",
  });
