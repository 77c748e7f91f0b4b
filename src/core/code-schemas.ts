import { z } from "@hono/zod-openapi";
import { ERROR_CODES, ERRORS } from "./errors.ts";
import { type CodeAbout, FAILURE_CODES, FAILURES, RETRIES } from "./failures.ts";

/** Schemas of the codes of errors and failures in responses, each described from its data. */

export const ErrorCodeView = z.enum(ERROR_CODES).openapi("ErrorCode", {
  description: `A stable error code to branch on; the sentence in \`message\` may change.\n\n${listed(ERRORS)}`,
  "x-enumDescriptions": described(ERRORS),
});

export const FailureCodeView = z.enum(FAILURE_CODES).openapi("FailureCode", {
  description: `Why a post or a generation failed or waits: a stable code to branch on.\n\n${listed(FAILURES)}`,
  "x-enumDescriptions": described(FAILURES),
});

/** The schemas of `Advice` (advice.ts), for error responses and failed posts. */
export const ADVICE_VIEW = {
  fix: z.string().openapi({ description: "What to do about it, in one or two sentences." }),
  again: z.enum(RETRIES).openapi({
    description:
      "Whether the same request or post may be sent again. `no`: only after a change; `later`: it may work later; `look_first`: only after a check of the channel, because the post may already be live.",
  }),
  docs_url: z.string().openapi({ description: "The page about the code." }),
};

type Codes = Readonly<Record<string, CodeAbout>>;

function listed(codes: Codes): string {
  return Object.entries(codes)
    .map(([code, { means, remedy }]) => `- \`${code}\`: ${means} ${remedy}`)
    .join("\n");
}

function described(codes: Codes): Record<string, string> {
  return Object.fromEntries(Object.entries(codes).map(([code, { means }]) => [code, means]));
}
