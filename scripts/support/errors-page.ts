import { SKIP_CODES, SKIPS } from "../../src/automations/stored.ts";
import { ERROR_CODES, ERRORS } from "../../src/core/errors.ts";
import { type CodeAbout, FAILURE_CODES, FAILURES, type Retry } from "../../src/core/failures.ts";
import { STATUS } from "../../src/http/statuses.ts";

/** Generates docs/errors.md from the definitions of the error codes. */
export function errorsPage(): string {
  return `<!-- Made by \`npm run generate\` from src/core/errors.ts, src/core/failures.ts and src/automations/stored.ts. -->
# Errors and failures

A word that stands in both tables means the same in both. Codes are stable, new ones may be added: treat one that you do not know
like \`unexpected\`. The sentences beside them are for people and may improve.

*Again?* tells whether the very same request or post may be sent again: **no** = not before something is changed; **later** = it may
work then; **look first** = only after a look at the channel, for it may be there already.

## Errors: \`code\` of an answer

Every error answers \`{"status": false, "message": "<a sentence>", "code": "<word>"}\`. Where fields are wrong, \`errors\` names each
(field path to sentences); when they are wrong in different ways, \`code\` is that of the first one in it. A token without the permission is a 401 on create-post and a 422 on upcoming-posts.

${table(
  ["Code", "Status"],
  ERROR_CODES.map((code) => [`\`${code}\``, `${STATUS[code]}`, ...cellsOf(ERRORS[code])]),
)}

## Failures: \`error_code\` of a post, of a generation, and of their events

A post that failed has its code beside the sentence in \`error\`: in \`GET /social/post/{post_id}?include=content\`, and in the detail of the
\`post.failed\` event. Events that tell of a wait (\`post.waiting\`) or of a removal that did not work (\`post.removal_failed\`) have one as well;
a wait in which nothing is wrong (the platform processes a video) has null. The service tries again by itself what may pass, until the post's
deadline; a post that fails because it waited too long has the code of what it waited for.
A generation that failed has its code in \`GET /social/post-generation/{post_id}\`, in the message to its \`web_hook\` and in the \`generation.failed\` event.

${table(
  ["Code"],
  FAILURE_CODES.map((code) => [`\`${code}\``, ...cellsOf(FAILURES[code])]),
)}

## Reasons: \`reason\` in the replies log

An entry of \`GET /social/get-comment-automation/{id}/replies\` whose comment was not answered, or not wholly, has a reason beside its sentence in
\`message\`, and so has each of its two answers that was not sent. What went wrong has one of the failures above. What is \`skipped\` by the bot's own rules has one
of these, and nothing is to be done about it:

${rows(
  ["Reason", "Means"],
  SKIP_CODES.map((code) => [`\`${code}\``, SKIPS[code]]),
)}
`;
}

const AGAIN: Readonly<Record<Retry, string>> = { no: "no", later: "later", look_first: "look first" };

function cellsOf({ means, remedy, retry }: CodeAbout): string[] {
  return [means, remedy, AGAIN[retry]];
}

function table(head: readonly string[], cells: readonly (readonly string[])[]): string {
  return rows([...head, "Means", "What to do", "Again?"], cells);
}

function rows(columns: readonly string[], cells: readonly (readonly string[])[]): string {
  return [columns, columns.map(() => "---"), ...cells].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
