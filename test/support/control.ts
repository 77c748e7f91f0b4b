import { z } from "zod";
import type { Reach } from "./browser.ts";

/**
 * The sandbox's record and its switches (`/_control`, sandbox/README.md), however it is reached. In workerd
 * and in Node.
 */

const LivePost = z.looseObject({
  platform: z.string(),
  account_id: z.string(),
  id: z.string(),
  text: z.string(),
  media: z.array(z.string()),
  permalink: z.string().nullable(),
  reply_to: z.string().nullable(),
  created_at: z.string(),
  /** Where the sandbox serves the bytes of each medium, as the platform received them. */
  received: z.array(z.string().nullable()).default([]),
  /** The Digital Source Type in the bytes of each medium, as the platform received them. */
  source_types: z.array(z.string().nullable()).default([]),
});
export type LivePost = z.infer<typeof LivePost>;

const LiveComment = z.looseObject({
  platform: z.string(),
  id: z.string(),
  post_id: z.string(),
  reply_to: z.string().nullable(),
  author_id: z.string(),
  text: z.string(),
});
export type LiveComment = z.infer<typeof LiveComment>;

const LiveMessage = z.looseObject({
  platform: z.string(),
  id: z.string(),
  recipient: z.string(),
  recipient_id: z.string(),
  comment_id: z.string().nullable(),
  text: z.string(),
});
export type LiveMessage = z.infer<typeof LiveMessage>;

const Fault = z.looseObject({ platform: z.string(), operation: z.string(), kind: z.string(), times: z.number() });
export type Fault = z.infer<typeof Fault>;

const Webhook = z.object({
  id: z.number(),
  platform: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  state: z.enum(["waiting", "later", "delivered", "lost", "dropped"]),
  attempts: z.number(),
});
/** A notification of a platform, as it is to be sent: the bytes of `body` are what the headers sign. */
export type Webhook = z.infer<typeof Webhook>;

/** Every method throws with the sandbox's words when it refuses. */
export function createControl(reach: Reach, origin: string) {
  async function control(method: "GET" | "POST", path: string, body?: unknown): Promise<unknown> {
    const sent =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
    const response = await reach(new Request(`${origin}/_control/${path}`, { method, ...sent }));
    const text = await response.text();
    if (!response.ok) throw new Error(`Sandbox control ${path}: ${response.status} ${text}`);
    return text === "" ? null : JSON.parse(text);
  }
  /** What is live now. */
  async function posts(platform?: string): Promise<LivePost[]> {
    const query = platform === undefined ? "" : `?platform=${platform}`;
    return z.array(LivePost).parse(await control("GET", `posts${query}`));
  }
  return {
    control,
    posts,
    /** What is live of posts whose text contains the mark. */
    postsWith: async (mark: string) => (await posts()).filter((post) => post.text.includes(mark)),
    async fault(platform: string, operation: string, kind: string, times = 1): Promise<void> {
      await control("POST", "faults", { platform, operation, kind, times });
    },
    /** The faults that no call has met yet. */
    faults: async (): Promise<Fault[]> => z.array(Fault).parse(await control("GET", "faults")),
    /** Ends those. */
    async noFaults(): Promise<void> {
      for (const { platform, operation, kind } of z.array(Fault).parse(await control("GET", "faults"))) {
        await control("POST", "faults", { platform, operation, kind, times: 0 });
      }
    },
    /** Changes the named ones of sandbox/settings.ts. */
    async settings(changes: Readonly<Record<string, unknown>>): Promise<void> {
      await control("POST", "settings", changes);
    },
    /** Writes as a person under a post or, given its id, under a comment; returns the new one's id. */
    async comment(platform: string, postId: string, text: string, author = "Ada Reader"): Promise<string> {
      const sent = { platform, post_id: postId, author, text };
      return z.looseObject({ id: z.string() }).parse(await control("POST", "comments", sent)).id;
    },
    /** All comments under posts, ours included, and all messages to people. */
    comments: async (): Promise<LiveComment[]> => z.array(LiveComment).parse(await control("GET", "comments")),
    messages: async (): Promise<LiveMessage[]> => z.array(LiveMessage).parse(await control("GET", "messages")),
    /** The platforms' notifications, the oldest first; `waiting` are those that are due. */
    async webhooks(state?: Webhook["state"]): Promise<Webhook[]> {
      const query = state === undefined ? "" : `?state=${state}`;
      return z.array(Webhook).parse(await control("GET", `webhooks${query}`));
    },
    /**
     * Reports to the sandbox how a held notification was answered; what is not 2xx comes again
     * later.
     */
    async webhookAnswered(id: number, status: number): Promise<Webhook> {
      return Webhook.parse(await control("POST", `webhooks/${id}`, { status }));
    },
    /** Ids of the accounts that are offered there, in order: the first ones may publish. */
    async accounts(platform: string): Promise<string[]> {
      const Accounts = z.array(z.looseObject({ id: z.string() }));
      return Accounts.parse(await control("GET", `accounts?platform=${platform}`)).map(({ id }) => id);
    },
    /** One more account, whose id is answered. */
    async addAccount(platform: string, name: string): Promise<string> {
      return z.looseObject({ id: z.string() }).parse(await control("POST", "accounts", { platform, name })).id;
    },
    /** A sample file that the sandbox serves. */
    media: (name: string): string => `${origin}/_media/${name}`,
  };
}
