import { z } from "@hono/zod-openapi";
import { adviceOn } from "../../core/advice.ts";
import { ADVICE_VIEW, FailureCodeView } from "../../core/code-schemas.ts";
import type { FailureCode, Retry } from "../../core/failures.ts";
import { humanTime } from "../../core/time.ts";
import type { EventRecord } from "../../events/store.ts";
import type { POST_EVENTS } from "../events.ts";
import { shownState } from "../store.ts";
import { POST_STATES, type PostState } from "../table.ts";
import type { ExplainedPost } from "../timelines/timeline.ts";

/** What happened to a post, in sentences: for people without the documentation, and for agents. */

export const ExplanationView = z
  .object({
    post_id: z.int(),
    STATUS: z.enum(POST_STATES),
    what_happened: z.string(),
    why: z.string().nullable().openapi({
      description: "The reason, which may quote the platform. Null if nothing went wrong and nothing is waited for.",
    }),
    what_to_do: z.string(),
    post_again: z.string().openapi({ description: "Whether it is safe to post the same again." }),
    again: ADVICE_VIEW.again,
    error_code: z.union([FailureCodeView, z.null()]),
    docs_url: ADVICE_VIEW.docs_url.nullable().openapi({ description: "The page about `error_code`." }),
  })
  .openapi("Explanation");
export type Explanation = z.output<typeof ExplanationView>;

type Event = EventRecord<typeof POST_EVENTS>;

type Sentences = Pick<Explanation, "what_happened" | "why" | "what_to_do"> & { readonly code: FailureCode | null };

/** `events` is the timeline, oldest first. */
export function explain(post: ExplainedPost, events: readonly Event[], origin: string): Explanation {
  const state = shownState(post);
  const { code, ...sentences } = sentencesOn(post, state, events);
  // Of a deleted post nothing failed but its deletion.
  const failed = state === "failed" ? code : null;
  const advice = failed && adviceOn(failed, origin);
  return {
    post_id: post.id,
    STATUS: state,
    ...sentences,
    post_again: advice ? AFTER_FAILURE[advice.again] : WITHOUT_FAILURE[state],
    again: advice ? advice.again : state === "deleted" && code !== null ? "look_first" : "no",
    error_code: code,
    docs_url: code && adviceOn(code, origin).docs_url,
  };
}

const AFTER_FAILURE: Readonly<Record<Retry, string>> = {
  no: "Nothing of this post is live. The same post would fail again until the cause is fixed.",
  later: "Nothing of this post is live, so it is safe to post the same again, once the cause has passed.",
  look_first: "Do not post again before you have checked the channel: the post, or a part of it, may be live.",
};

const ON_ITS_WAY = "Do not post again: this post is still on its way, and would be published beside the new one.";
const WITHOUT_FAILURE: Readonly<Record<PostState, string>> = {
  draft: "Do not post again: publish this draft instead.",
  pending: ON_ITS_WAY,
  processing: ON_ITS_WAY,
  scheduled: ON_ITS_WAY,
  queued: ON_ITS_WAY,
  published: "Do not post again: the post is live, and a new one would be a second one.",
  failed: AFTER_FAILURE.no,
  deleted: "Post again only if it should be live again.",
};

function sentencesOn(post: ExplainedPost, state: PostState, events: readonly Event[]): Sentences {
  const last = (...types: readonly Event["type"][]) => events.findLast(({ type }) => types.includes(type));
  switch (state) {
    case "draft":
      if (post.approvalState === "waiting")
        return {
          what_happened: "The post waits for approval, and is not published before it.",
          why: last("post.approval_requested")?.message ?? null,
          what_to_do: "Approve it with approve-post, or send it back with send-back-post.",
          code: null,
        };
      return {
        what_happened: "The post is a draft. It has no time, and is not published by itself.",
        why: null,
        what_to_do: "Publish it with update-post and a `publish_mode`, or delete it.",
        code: null,
      };
    case "published":
      return {
        what_happened: `The post is live on ${post.channelType}${post.permalink === null ? "." : `: ${post.permalink}`}`,
        // A part that the platform refused, or a first comment that failed.
        why: last("post.left_out", "post.comment_failed")?.message ?? null,
        what_to_do: "Nothing.",
        code: null,
      };
    case "failed": {
      const code = post.errorCode ?? "unexpected";
      const what_happened =
        FAILED[code] ?? "The post was not published. This is final: the service does not try again.";
      return { what_happened, why: post.error, what_to_do: adviceOn(code, "").fix, code };
    }
    case "deleted":
      return onDeletion(last("post.removed", "post.removal_failed"));
    default:
      return onTheWay(post, state, last("post.waiting", "post.processing", "post.updated", "post.moved"));
  }
}

const FAILED: { readonly [Code in FailureCode]?: string } = {
  may_be_published: "The post was sent to the platform, but it is unknown whether it is live.",
  partly_published: "Only some items of the thread are live.",
};

function onDeletion(end: Event | undefined): Sentences {
  const code = codeIn(end);
  if (code !== null && end)
    return {
      what_happened: "The post was deleted here, but may still be live on the platform.",
      why: end.message,
      what_to_do: "Check the channel, and delete the post in the platform's app.",
      code,
    };
  const what_happened = end
    ? "The post was deleted, and is no longer live on the platform."
    : "The post was deleted. If it was live, it is being deleted on the platform.";
  return { what_happened, why: null, what_to_do: "Nothing.", code: null };
}

function onTheWay(post: ExplainedPost, state: PostState, last: Event | undefined): Sentences {
  const wait = last?.type === "post.waiting" ? last : undefined;
  const what_happened =
    state === "scheduled" || state === "queued"
      ? `The post is ${state}. It is due at ${humanTime(post.publishAt, post.timeZone)} (${post.timeZone}).`
      : state === "processing"
        ? "The post is being published."
        : "The post was accepted, and is published next.";
  const code = codeIn(wait);
  return {
    what_happened,
    why: wait?.message ?? null,
    what_to_do: code === null ? "Wait: it continues by itself." : `It continues by itself. ${adviceOn(code, "").fix}`,
    code,
  };
}

function codeIn(event: Event | undefined): FailureCode | null {
  return FailureCodeView.safeParse(event?.detail?.error_code).data ?? null;
}
