import { SKIP_CODES, SKIPS } from "../../src/automations/stored.ts";
import { ERROR_CODES, ERRORS } from "../../src/core/errors.ts";
import { type CodeAbout, FAILURE_CODES, FAILURES, type FailureCode, type Retry } from "../../src/core/failures.ts";
import { STATUS } from "../../src/http/statuses.ts";

/** Generates docs/errors.md from the definitions of the error codes. */
export function errorsPage(): string {
  return `<!-- Made by \`npm run generate\` from src/core/errors.ts, src/core/failures.ts and src/automations/stored.ts. -->
# Errors and failures

A code in both tables means the same in both. Codes are stable, but new ones can be added: treat an unknown code like
\`unexpected\`. The sentences beside the codes are for people and may change.

*Again?* shows whether the same request or post may be sent again: **no** = only after a change; **later** = it may work later;
**check first** = only after a check of the channel, because the post may already be live. Every error response and every failed post has it
as \`again\` (\`no\`, \`later\`, \`look_first\`), with *What to do* as \`fix\`, and the address of the code on this page as \`docs_url\`.

## Errors: \`code\` of a response

Every error returns \`{"status": false, "message": "<a sentence>", "code": "<word>", "fix": …, "again": …, "docs_url": …}\`. If fields are invalid, \`errors\` maps
each field path to sentences; \`code\` is the code of the first field. A token without the permission is a 401 on create-post and a 422 on upcoming-posts.

${table(
  ["Code", "Status"],
  ERROR_CODES.map((code) => [anchor(code), `${STATUS[code]}`, ...cellsOf(ERRORS[code])]),
)}

## Failures: \`error_code\` of a post, of a generation, and of their events

A failed post has its code beside the sentence in \`error\`, and so has the detail of its \`post.failed\` event.
\`GET /social/explain-post/{post_id}\` says in sentences what happened to a post, why, what to do, and whether to post again. Events of a wait (\`post.waiting\`) or of a failed removal (\`post.removal_failed\`) also have a code;
it is null if nothing is wrong (the platform processes a video). The service retries temporary failures until the post's deadline. A post that
waited too long has the code of its last wait.
A failed generation has its code in \`GET /social/get-post-generation/{post_id}\`, in the message to its \`web_hook\` and in the \`generation.failed\` event.

${table(
  ["Code"],
  FAILURE_CODES.map((code) => [isError(code) ? `\`${code}\`` : anchor(code), ...cellsOf(FAILURES[code])]),
)}

## Reasons: \`reason\` in the replies log

An entry of \`GET /social/get-comment-automation-replies/{id}\` whose comment was not answered, or only partly, has a reason beside the sentence in
\`message\`. So does each of its two answers that was not sent. Failures have one of the codes above. Comments that the bot's own rules skip (\`skipped\`) have one
of these reasons, and need no action:

${rows(
  ["Reason", "Means"],
  SKIP_CODES.map((code) => [`\`${code}\``, SKIPS[code]]),
)}
`;
}

/** An address is there once: in the first table, for a code of both. */
function anchor(code: string): string {
  return `<a id="${code}"></a>\`${code}\``;
}

const isError = (code: FailureCode): boolean => ERROR_CODES.some((error) => error === code);

const AGAIN: Readonly<Record<Retry, string>> = { no: "no", later: "later", look_first: "check first" };

function cellsOf({ means, remedy, retry }: CodeAbout): string[] {
  return [means, remedy, AGAIN[retry]];
}

function table(head: readonly string[], cells: readonly (readonly string[])[]): string {
  return rows([...head, "Means", "What to do", "Again?"], cells);
}

function rows(columns: readonly string[], cells: readonly (readonly string[])[]): string {
  return [columns, columns.map(() => "---"), ...cells].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
