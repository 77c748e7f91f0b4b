/**
 * Why a post was not published or has to wait, and why nothing was generated: every code with its meaning and
 * its remedy. `posts.error_code` and the details of events hold these codes; docs/errors.md and the OpenAPI
 * document are checked against them. Codes are stable, because clients branch on them; the message beside a
 * code is for people and may change.
 */
export interface CodeAbout {
  readonly means: string;
  /** What the caller or the account owner does then. */
  readonly remedy: string;
  readonly retry: Retry;
}

/**
 * Whether the same request or post may be sent again. `no`: only after something is changed. `later`: it may
 * work later. `look_first`: only after a check of the channel, because the post may already exist.
 */
export const RETRIES = ["no", "later", "look_first"] as const;
export type Retry = (typeof RETRIES)[number];

export const FAILURES = {
  platform_rejected: {
    means: "The platform refused the post for a reason without a code of its own. The message quotes it.",
    remedy: "Change what the message names, then post again.",
    retry: "no",
  },
  content_refused: {
    means: "The platform refuses the content of the post: a link that it does not allow, or a violation of its policy.",
    remedy: "Change the text or the link, then post again.",
    retry: "no",
  },
  content_invalid: {
    means: "The text, a hashtag, an alt text, or the number of files or items is outside the platform's limits.",
    remedy: "Shorten or change what the message names; it states the limit.",
    retry: "no",
  },
  unsupported_by_platform: {
    means: "The platform, or this type of account, does not support this.",
    remedy: "Use another post type or channel. Delete a post in the platform's app if its API cannot delete it.",
    retry: "no",
  },
  media_invalid: {
    means: "A media file is damaged, or the platform does not accept its type, size, duration or aspect ratio.",
    remedy: "Replace the file; the message states its properties and what is allowed.",
    retry: "no",
  },
  media_unreachable: {
    means:
      "A media file could not be read: its address is refused, or its server is unreachable, too slow, or refuses the request.",
    remedy: "Use a public URL on a server that supports range requests, then post again.",
    retry: "later",
  },
  duplicate: {
    means: "The platform reports that the account has already posted the same, and no post of this service matches.",
    remedy: "Check the channel. If the post is not live, change its text and post again.",
    retry: "look_first",
  },
  reconnect_needed: {
    means: "The platform no longer accepts the channel's connection.",
    remedy: "Have the account owner connect the channel again (connect-channel), then post again.",
    retry: "no",
  },
  permission_missing: {
    means:
      "The access token lacks the permission for this operation, or the channel's connection lacks it for this post.",
    remedy: "Use a token with the permission. For a channel: reconnect it and allow everything.",
    retry: "no",
  },
  channel_disconnected: {
    means: "The channel was disconnected from this project.",
    remedy: "Connect it again (connect-channel); it keeps its channel_id. Then post again.",
    retry: "no",
  },
  account_restricted: {
    means: "The platform has locked or restricted the account, or requires the account owner to confirm something.",
    remedy: "Have the account owner sign in at the platform and follow its instructions, then post again.",
    retry: "later",
  },
  rate_limited: {
    means: "A rate limit of this service or of the platform is reached.",
    remedy:
      "Send the request again after `Retry-After`. A post waits automatically, and fails if the wait is too long.",
    retry: "later",
  },
  cost_ceiling: {
    means: "The platform charges for the call, and it would pass what the project may cost in a month.",
    remedy:
      "It continues automatically next month, or when the operator of this service raises the ceiling (`npm run ceiling`).",
    retry: "later",
  },
  platform_down: {
    means: "The platform was unreachable or failed, and did not carry out the request.",
    remedy: "Post again later. The service retries a post automatically until it fails.",
    retry: "later",
  },
  operator_action: {
    means: "The operator of this service must fix its app registration, plan, credits or keys at the platform.",
    remedy: "Send the message to the operator. The post is published automatically once this is fixed.",
    retry: "later",
  },
  may_be_published: {
    means: "The platform's answer was lost, so it is unknown whether the post or an item of it is live.",
    remedy: "Check the channel. Post again only if the post is not live.",
    retry: "look_first",
  },
  partly_published: {
    means: "Only some items of the thread are live. `cause` in the event states why.",
    remedy: "Delete the post, which deletes the live items, or add the missing items at the platform.",
    retry: "look_first",
  },
  model_not_configured: {
    means: "No model of that kind is set up, or its server does not accept the configured key, model or account.",
    remedy:
      "Send the message to the operator of this service; it names the setting. Generate again once this is fixed.",
    retry: "later",
  },
  model_refused: {
    means: "The model, or its server, declined the request.",
    remedy: "Rephrase the input, then generate again.",
    retry: "no",
  },
  model_over_quota: {
    means:
      "The model's server limited the rate until the generation's deadline, because the quota at its provider is used up.",
    remedy: "Generate again later, or contact the operator of this service.",
    retry: "later",
  },
  model_unusable: {
    means: "The model's result does not match the request, or cannot be posted.",
    remedy: "Generate again, perhaps with a simpler input.",
    retry: "later",
  },
  model_failed: {
    means:
      "The model's server failed, or its answer was lost. The call is not repeated automatically, because it could be charged twice.",
    remedy: "Generate again.",
    retry: "later",
  },
  deadline_passed: {
    means: "The deadline passed before the work was done.",
    remedy: "Post or generate again.",
    retry: "later",
  },
  unexpected: {
    means: "Something went wrong in this service.",
    remedy: "Try again. If this keeps happening, send the `X-Request-Id`, or the post's id, to the operator.",
    retry: "later",
  },
} as const satisfies Readonly<Record<string, CodeAbout>>;

export type FailureCode = keyof typeof FAILURES;

/** The same as a list, for schemas. */
export const FAILURE_CODES = Object.keys(FAILURES).filter(isFailureCode);

function isFailureCode(word: string): word is FailureCode {
  return Object.hasOwn(FAILURES, word);
}

/** Why something failed: the code for programs, and the message for people. */
export interface Cause {
  readonly code: FailureCode;
  readonly message: string;
  /** The platform's answer that the cause comes from, if any. */
  readonly answer?: RawAnswer | undefined;
}

/**
 * A platform's answer as the timeline keeps it, for finding out what the platform meant: the call, and the
 * start of the answer. It holds no secrets. Of the request it keeps only the URL without the query, of the
 * headers only a few. Anything in the body that is or looks like a secret is masked.
 */
export interface RawAnswer {
  readonly method: string;
  /** Without the query. */
  readonly url: string;
  /** Null if no answer came. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The first 2,048 characters; null if no answer came. */
  readonly body: string | null;
}

/** The platform's own answer, for the event of the problem. */
export function answered({ code, answer }: { readonly code: FailureCode | null } & Pick<Cause, "answer">): {
  readonly answer?: RawAnswer;
} {
  return answer && code !== null ? { answer } : {};
}
