import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { Report, ReportedWebhooks } from "../../src/doctor/report-schema.ts";
import { Refusal, Unavailable } from "./command.ts";
import { type Answer, callJson } from "./http.ts";

/** A client of the service's HTTP API, for customers and for the operator. */

const Session = z.object({ connect_url: z.string(), connect_token: z.string() });
const ConnectStatus = z.object({
  connect_status: z.enum(["pending", "success", "failed", "expired"]),
  platform: z.string().nullish(),
  channel_ids: z.array(z.int()).nullish(),
  message: z.string().nullish(),
});
export type ConnectStatus = z.output<typeof ConnectStatus>;
const Channel = z.object({
  channel_id: z.int(),
  channel_type: z.string(),
  name: z.string(),
  capabilities: z.array(z.object({ name: z.string(), health: z.string() })),
});
export type Channel = z.output<typeof Channel>;
const Post = z.object({
  post_id: z.int(),
  STATUS: z.string(),
  permalink: z.string().nullish(),
  error: z.string().nullish(),
});
export type Post = z.output<typeof Post>;
const Posts = z.object({ data: z.array(Post), total: z.int(), last_page: z.int() });
const Event = z.object({
  type: z.string(),
  message: z.string(),
  created_at: z.string(),
  detail: z.unknown().optional(),
});

/** The body of create-post. */
export interface NewPost {
  readonly channel_type: string;
  readonly channel_id: number;
  readonly post_type: string;
  readonly publish_mode: "now" | "scheduled";
  readonly caption_text?: string;
  readonly hash_tags?: string;
  readonly media_urls?: readonly string[];
  readonly alt_texts?: readonly string[];
  readonly first_comment?: string;
  readonly twitter_threads?: readonly {
    readonly message: string;
    readonly media_urls?: readonly string[];
    readonly alt_texts?: readonly string[];
  }[];
  readonly schedule_time?: string;
  readonly time_zone?: string;
  readonly post_extra?: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** The body of create-comment-automation. */
export interface NewAutomation {
  readonly name: string;
  readonly channels: readonly number[];
  readonly target_type?: "posts";
  readonly post_ids?: readonly number[];
  readonly trigger_type?: "any" | "keywords";
  readonly keywords?: readonly string[];
  readonly response_type?: "comment" | "direct_message" | "both";
  readonly comment_reply?: string;
  readonly direct_message?: string;
  readonly frequency?: "everytime" | "once" | "randomly";
  readonly response_time?: "delayed";
  readonly delay_time?: number;
  readonly ai_enable: "yes" | "no";
  readonly ai_settings?: Readonly<Record<string, string>>;
}

const ReplyPart = z.object({
  state: z.enum(["waiting", "sent", "not_sent"]),
  text: z.string().nullable(),
  id: z.string().nullable(),
  sent_at: z.string().nullable(),
  reason: z.string().nullable(),
  message: z.string().nullable(),
});
const Logged = z.object({
  post_id: z.int(),
  comment: z.object({ id: z.string(), author_id: z.string().nullable(), text: z.string().nullable() }),
  outcome: z.enum(["waiting", "replied", "partly_replied", "skipped", "failed"]),
  reason: z.string().nullable(),
  message: z.string(),
  comment_reply: ReplyPart.nullable(),
  direct_message: ReplyPart.nullable(),
});
/** How a comment automation handled a comment. */
export type Logged = z.output<typeof Logged>;
const LogPage = z.object({ replies: z.object({ data: z.array(Logged), next_cursor: z.string().nullable() }) });

const Generation = z.object({
  id: z.string(),
  status: z.enum(["queued", "done", "failed"]),
  caption_text: z.string(),
  media_urls: z.array(z.string()),
  error: z.string().nullable(),
  error_code: z.string().nullable(),
});
/** The state of a generated post. */
export type Generation = z.output<typeof Generation>;

const Boost = z.object({
  id: z.int(),
  name: z.string(),
  status: z.string(),
  reason: z.string().nullable(),
  error_code: z.string().nullable(),
  budget: z.number(),
  spend: z.number(),
  currency: z.string(),
});
/** A boost campaign. */
export type Boost = z.output<typeof Boost>;

const Insights = z.object({
  published_at: z.string().nullable(),
  state: z.string(),
  as_of: z.string().nullable(),
  next_read_at: z.string().nullable(),
  metrics: z.record(z.string(), z.number().nullable()),
  missing: z.record(z.string(), z.string()),
  days: z.array(z.object({ day: z.string(), metrics: z.record(z.string(), z.number()) })),
});
/** What a post achieved. */
export type Insights = z.output<typeof Insights>;

const ChannelInsights = z.object({
  state: z.string(),
  totals: z.record(z.string(), z.number().nullable()),
  days: z.array(z.object({ day: z.string(), metrics: z.record(z.string(), z.number().nullable()) })),
});
/** What an account achieved. */
export type ChannelInsights = z.output<typeof ChannelInsights>;

const AdAccount = z.object({ id: z.string(), name: z.string(), currency: z.string(), usable: z.boolean() });

/** A body that only the service checks. */
type Body = Readonly<Record<string, unknown>>;

export type Api = ReturnType<typeof createApi>;

/** A response other than 200 throws an ApiError. */
export function createApi(origin: string, token: string) {
  async function call<S extends z.ZodType>(
    method: string,
    path: string,
    shape: S,
    { body, key }: { readonly body?: unknown; readonly key?: string | undefined } = {},
  ): Promise<z.output<S>> {
    const headers = key === undefined ? {} : { "Idempotency-Key": key };
    const url = path.startsWith("/boost-campaigns") ? path : `/social${path}`;
    const answer = await callJson(method, `${origin}/api/v1${url}`, {
      headers: { Authorization: `Bearer ${token}`, ...headers },
      body,
    });
    if (answer.status !== 200) throw new ApiError(`${method} ${url}`, answer);
    return shape.parse(answer.body);
  }
  const listPosts = async (query: string) =>
    (await call("GET", `/get-posts?${query}`, z.object({ posts: Posts }))).posts;
  return {
    connectChannel: (body: { readonly userId: string }) => call("POST", "/connect-channel", Session, { body }),
    connectStatus: (connectToken: string) =>
      call("GET", `/connect-status?connect_token=${encodeURIComponent(connectToken)}`, ConnectStatus),
    async listChannels(): Promise<Channel[]> {
      const shape = z.object({ channels: z.object({ data: z.array(Channel) }) });
      return (await call("GET", "/get-channels?limit=100", shape)).channels.data;
    },
    async createPost(body: NewPost, key?: string): Promise<number> {
      const shape = z.object({ data: z.object({ post_id: z.int() }) });
      return (await call("POST", "/create-post", shape, { body, key })).data.post_id;
    },
    /** The same for fields that only the service checks. */
    async createAny(body: Body): Promise<number> {
      const shape = z.object({ data: z.object({ post_id: z.int() }) });
      return (await call("POST", "/create-post", shape, { body })).data.post_id;
    },
    async createAutomation(body: NewAutomation): Promise<{ readonly id: number; readonly message: string }> {
      const shape = z.object({ message: z.string(), comment_bot: z.object({ id: z.int() }) });
      const { message, comment_bot: bot } = await call("POST", "/create-comment-automation", shape, { body });
      return { id: bot.id, message };
    },
    stopAutomation: (id: number) =>
      call("PUT", `/update-comment-automation/${id}`, z.object({ message: z.string() }), {
        body: { status: "stopped" },
      }),
    /** The whole log of an automation, newest first. */
    async listReplies(id: number): Promise<Logged[]> {
      const replies: Logged[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const query: string = `limit=100${cursor && `&cursor=${cursor}`}`;
        const page = (await call("GET", `/get-comment-automation-replies/${id}?${query}`, LogPage)).replies;
        replies.push(...page.data);
        cursor = page.next_cursor;
      }
      return replies;
    },
    async createGeneration(body: Body, key: string): Promise<string> {
      return (await call("POST", "/create-post-generation", z.object({ id: z.string() }), { body, key })).id;
    },
    /** The latest hundred. */
    async listGenerations(): Promise<Generation[]> {
      const shape = z.object({ post_generations: z.array(Generation) });
      return (await call("GET", "/get-post-generations?include=content", shape)).post_generations;
    },
    listAdAccounts: async (channelId: number) => {
      const shape = z.object({ ad_accounts: z.array(AdAccount) });
      return (await call("GET", `/boost-campaigns/get-ad-accounts?channel_id=${channelId}`, shape)).ad_accounts;
    },
    async createCampaign(body: Body, key: string): Promise<number> {
      const shape = z.object({ campaigns: z.object({ id: z.int() }) });
      return (await call("POST", "/boost-campaigns/create-campaign", shape, { body, key })).campaigns.id;
    },
    updateCampaign: (id: number, body: Body) =>
      call("PUT", `/boost-campaigns/update-campaign/${id}`, z.object({ campaigns: Boost }), { body }),
    deleteCampaign: (id: number) =>
      call("DELETE", `/boost-campaigns/delete-campaign/${id}`, z.object({ message: z.string() })),
    deletePost: (id: number) => call("DELETE", `/delete-post/${id}`, z.object({ message: z.string() })),
    deleteChannel: (id: number) => call("DELETE", `/delete-channel/${id}`, z.object({ message: z.string() })),
    /** All campaigns, by id. */
    async listCampaigns(): Promise<ReadonlyMap<number, Boost>> {
      const shape = z.object({ campaigns: z.object({ data: z.array(Boost) }) });
      const all = new Map<number, Boost>();
      for (let page = 1; ; page++) {
        const { campaigns } = await call("GET", `/boost-campaigns/get-campaigns?limit=100&page=${page}`, shape);
        for (const one of campaigns.data) all.set(one.id, one);
        if (campaigns.data.length < 100) return all;
      }
    },
    /** Rotates the secret that signs messages to a `web_hook`. */
    rotateWebHookSecret: async () =>
      (await call("POST", "/rotate-generation-secret", z.object({ secret: z.string() }))).secret,
    /** What platforms have charged in a month such as `2026-11`, by default this one, by our count. */
    async platformCost(month?: string): Promise<number> {
      const shape = z.object({ platform_cost: z.object({ amount: z.number() }) });
      const query = month === undefined ? "" : `?month=${month}`;
      return (await call("GET", `/get-usage${query}`, shape)).platform_cost.amount;
    },
    async postCost(id: number): Promise<number> {
      const shape = z.object({ post: z.object({ cost: z.object({ amount: z.number() }) }) });
      return (await call("GET", `/post/${id}?include=content`, shape)).post.cost.amount;
    },
    insightsOf: async (id: number) =>
      (await call("GET", `/get-post-insights/${id}`, z.object({ insights: Insights }))).insights,
    channelInsights: async (channelId: number, range: { readonly from: string; readonly to: string }) =>
      (
        await call(
          "GET",
          `/get-channel-insights/${channelId}?${new URLSearchParams(range)}`,
          z.object({ insights: ChannelInsights }),
        )
      ).insights,
    /** Switches on the reads that a platform charges for. */
    collectInsights: (channelId: number) =>
      call("PUT", `/update-channel/${channelId}`, z.object({ status: z.literal(true) }), {
        body: { collect_insights: true },
      }),
    listPosts,
    /** Every post of a listing, by id. */
    async listAllPosts(query: string): Promise<ReadonlyMap<number, Post>> {
      const posts = new Map<number, Post>();
      for (let page = 1; ; page++) {
        const { data, last_page: lastPage } = await listPosts(`${query}&limit=100&page=${page}`);
        for (const post of data) posts.set(post.post_id, post);
        if (page >= lastPage) return posts;
      }
    },
    findPost: async (id: number) => (await call("GET", `/post/${id}`, z.object({ post: Post }))).post,
    listEvents: async (id: number) =>
      (await call("GET", `/get-post-events/${id}`, z.object({ events: z.array(Event) }))).events,
  };
}

const Problem = z
  .object({
    message: z.string().optional(),
    code: z.string().optional(),
    errors: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
  })
  .catch({});

export class ApiError extends Error {
  readonly status: number;
  readonly code: string | undefined;

  constructor(operation: string, { status, body }: Answer) {
    const { message = "nothing", code, errors } = Problem.parse(body);
    super(`${operation} answered ${status}: ${message}${errors ? ` ${JSON.stringify(errors)}` : ""}`);
    this.status = status;
    this.code = code;
  }
}

export const isTemporary = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status >= 500 || [409, 423, 429].includes(error.status);

/**
 * Repeats a call until the service answers, because it may be killed meanwhile. Throws permanent errors, and
 * any error once `isOver` returns true.
 */
export async function surely<T>(act: () => Promise<T>, isOver = () => false, mayPass = isTemporary): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!mayPass(error) || isOver()) throw error;
      await sleep(400);
    }
  }
}

/** Creates a post with an Idempotency-Key. */
export const createSurely = (api: Api, body: NewPost, key: string, isOver?: () => boolean): Promise<number> =>
  surely(() => api.createPost(body, key), isOver);

const Issued = z.object({
  id: z.int(),
  token: z.string(),
  project: z.string(),
  project_id: z.int(),
  is_test: z.boolean(),
});
const Found = z.object({
  projects: z.array(z.object({ id: z.int(), name: z.string(), owners: z.array(z.string()), created_at: z.string() })),
});
const Tokens = z.object({
  tokens: z.array(
    z.object({
      id: z.int(),
      project: z.string(),
      name: z.string(),
      hint: z.string(),
      permissions: z.array(z.string()),
      createdAt: z.number(),
      expiresAt: z.number().nullable(),
      revokedAt: z.number().nullable(),
    }),
  ),
});
export type ListedToken = z.output<typeof Tokens>["tokens"][number];

const CostCeiling = z.object({ project: z.string(), most: z.string().nullable(), spent: z.string() });
const Ceiling = z.object({
  project: z.string(),
  most: z.string(),
  is_standard: z.boolean(),
  committed: z.string(),
});

const ListedCallbacks = z.object({
  callbacks: z.array(z.object({ platform: z.string(), is_sandbox: z.boolean(), urls: z.array(z.string()) })),
});
const ListedWebhooks = z.object({
  webhooks: z.array(ReportedWebhooks.extend({ platform: z.string(), is_sandbox: z.boolean() })),
});

const Deleting = z.object({
  deletion: z.object({
    project_id: z.int(),
    project: z.string(),
    step: z.string(),
    is_gone: z.boolean(),
    gone: z.record(z.string(), z.int()),
    other_rows: z.int(),
    posts_deleted_at_platforms: z.int(),
    logins_revoked: z.int(),
    remaining_at_platforms: z.object({ posts: z.int(), campaigns: z.int(), logins: z.int() }),
  }),
});

const Moving = z.object({
  move: z.object({
    project: z.string(),
    from: z.int(),
    to: z.int(),
    step: z.string(),
    is_served: z.boolean(),
    is_undone: z.boolean(),
    rows: z.int(),
  }),
});

/** An id always decides; a name only where one project has it. */
export interface NamedProject {
  readonly project?: string;
  readonly id?: number;
}

export interface TokenRequest extends NamedProject {
  readonly live?: boolean;
  readonly name?: string;
  readonly permissions?: readonly string[];
  readonly expires_at?: string;
}

export type Operator = ReturnType<typeof operatorOf>;

/**
 * The operator API (src/people/operator.ts): tokens and the report. An error response throws with its
 * message.
 */
export function operatorOf(origin: string, key: string) {
  async function call<S extends z.ZodType>(
    method: string,
    path: string,
    shape: S,
    body?: unknown,
  ): Promise<z.output<S>> {
    const headers = { "X-Operator-Key": key };
    const answer = await callJson(method, `${origin}/internal${path}`, { headers, body }).catch((error: unknown) => {
      throw new Unavailable(`${origin} does not answer: ${causeOf(error)}.`);
    });
    if (answer.status === 200) return shape.parse(answer.body);
    if (answer.status === 429 || answer.status >= 500) throw new Unavailable(sentenceOf(answer, origin));
    throw new Refusal(sentenceOf(answer, origin));
  }
  return {
    issueToken: (request: TokenRequest) => call("POST", "/tokens", Issued, request),
    signInLink: async (request: NamedProject & { readonly email: string; readonly role?: string }) =>
      (await call("POST", "/sign-in-links", z.object({ url: z.string() }), request)).url,
    /** The bytes of an archive. */
    exportProject: async (request: NamedProject & { readonly from?: string }) => {
      const url = `${origin}/internal/projects/export`;
      const headers = { "X-Operator-Key": key, "Content-Type": "application/json" };
      const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(request) });
      if (answer.status === 200 && answer.body) return answer.body;
      const body: unknown = await answer.json().catch(() => null);
      throw new Refusal(sentenceOf({ status: answer.status, headers: answer.headers, body }, origin));
    },
    findProjects: async (request: NamedProject) => (await call("POST", "/projects/find", Found, request)).projects,
    /** Without the id, the refusal lists the projects of this name. */
    deleteProject: async (
      request: NamedProject & { readonly delete_posts: boolean; readonly revoke_logins: boolean },
    ) => (await call("POST", "/projects/delete", Deleting, request)).deletion,
    projectDeletion: async (request: NamedProject) =>
      (await call("POST", "/projects/deletion", Deleting, request)).deletion,
    moveProject: async (request: NamedProject & { readonly to?: number; readonly undo?: boolean }) =>
      (await call("POST", "/projects/move", Moving, request)).move,
    report: () => call("GET", "/doctor", Report),
    listCallbacks: async () => (await call("GET", "/callbacks", ListedCallbacks)).callbacks,
    listWebhooks: async () => (await call("GET", "/webhooks", ListedWebhooks)).webhooks,
    ceiling: (request: NamedProject & { readonly currency: string; readonly most?: number }) =>
      call("POST", "/ceilings", Ceiling, request),
    costCeiling: (request: NamedProject & { readonly most?: number }) =>
      call("POST", "/cost-ceilings", CostCeiling, request),
    listTokens: async () => (await call("GET", "/tokens", Tokens)).tokens,
    revokeToken: (id: number) => call("POST", "/tokens/revoke", z.object({ message: z.string() }), { id }),
  };
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error.cause instanceof Error && error.cause.message) || error.message;
}

function sentenceOf({ status, body }: Answer, origin: string): string {
  const { message, errors = {} } = Problem.parse(body);
  // Without the right key, /internal returns 404.
  if (status === 404 && message?.includes("nothing at this address")) {
    return `${origin} does not know this operator key (or is not a Belfry service).`;
  }
  const details = Object.entries(errors).map(([field, sentences]) => `${field}: ${[sentences].flat().join(" ")}`);
  return [message ?? `${origin} answered ${status}.`, ...details].join("\n");
}
