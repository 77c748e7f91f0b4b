import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { z } from "zod";
import { RETRIES } from "../../src/core/failures.ts";
import { PERMISSIONS, type Permission } from "../../src/core/permissions.ts";
import type { GrantPurpose, PlatformName } from "../../src/platforms/names.ts";
import type { Bindings } from "../../src/service/deps.ts";
import worker from "../../src/worker.ts";
import { accountsOf } from "./accounts.ts";
import { Browser } from "./browser.ts";
import { advance } from "./clock.ts";
import { requireDocumented } from "./documented.ts";
import { connectThrough, HANDLES, PAGES } from "./person.ts";
import { bindings } from "./queue.ts";
import { SANDBOX } from "./sandbox.ts";

/** The front door: every test speaks HTTP with the Worker in the real runtime. */
export const ORIGIN = "https://belfry.test";
export const API = `${ORIGIN}/api/v1`;

/** `environment` is another configuration of the service. */
export async function door(request: Request, environment: Bindings = bindings): Promise<Response> {
  const context = createExecutionContext();
  const response = await worker.fetch(request, environment, context);
  await waitOnExecutionContext(context);
  return response;
}

/** A browser that reaches the service and the sandbox, and nothing else. */
export function newBrowser(): Browser {
  return new Browser(
    (request) => (new URL(request.url).host === "sandbox.test" ? env.SANDBOX.fetch(request) : door(request)),
    (url) => url.host === "belfry.test" || url.host === "sandbox.test",
  );
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface CallOptions {
  readonly token?: string | null;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
}

export async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const headers = new Headers(options.headers);
  if (options.token) headers.set("Authorization", `Bearer ${options.token}`);
  const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  if (body !== undefined && !headers.has("Content-Type")) headers.set("Content-Type", "application/json");
  const url = path.startsWith("http") ? path : `${path.startsWith("/internal") ? ORIGIN : API}${path}`;
  const response = await door(new Request(url, { method, headers, ...(body === undefined ? {} : { body }) }));
  const text = await response.text();
  const answer = { status: response.status, headers: response.headers, body: parseJson(text) };
  // The document has times as callers may send them.
  if (path !== "/openapi.json") requireOneTimeForm(path, answer.body);
  requireAdvice(path, answer.body);
  requireDocumented(method, path, answer.status);
  return answer;
}

const Advised = z.object({ fix: z.string(), again: z.enum(RETRIES), docs_url: z.url() });

/** Every error that a test receives says what to do, whether to send again, and where to read about it. */
function requireAdvice(path: string, body: unknown): void {
  const error = z.object({ status: z.literal(false), code: z.string() }).safeParse(body).data;
  if (error && !Advised.safeParse(body).data?.docs_url.endsWith(`/docs/errors#${error.code}`))
    throw new Error(`${path} answered ${error.code} without advice.`);
}

const LOOKS_LIKE_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}/;
const TIME_FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}\+00:00$/;

/** ISO 8601 times have one form in every answer that a test receives. */
function requireOneTimeForm(path: string, value: unknown): void {
  if (typeof value === "string") {
    if (LOOKS_LIKE_TIME.test(value) && !TIME_FORM.test(value)) throw new Error(`${path} answered the time ${value}.`);
  } else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) requireOneTimeForm(path, part);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const Issued = z.object({ id: z.number(), token: z.string() });

export interface TokenOptions {
  readonly permissions?: readonly Permission[];
  readonly expiresAt?: string;
  readonly timeZone?: string;
}

/** A token of the named project, which is made when it is not there. */
export async function issueToken(project: string, options: TokenOptions = {}): Promise<{ id: number; token: string }> {
  const answer = await call("POST", "/internal/tokens", {
    headers: { "X-Operator-Key": env.OPERATOR_KEY },
    body: {
      project,
      permissions: options.permissions ?? PERMISSIONS,
      ...(options.expiresAt === undefined ? {} : { expires_at: options.expiresAt }),
      ...(options.timeZone === undefined ? {} : { time_zone: options.timeZone }),
    },
  });
  return Issued.parse(answer.body);
}

const Refused = z.object({ code: z.string() });

let projects = 0;

/** One application with a project of its own, and a token with every permission. */
export class Project {
  readonly name: string;
  readonly token: string;
  private constructor(name: string, token: string) {
    this.name = name;
    this.token = token;
  }

  static async create(options: TokenOptions = {}): Promise<Project> {
    const name = `Project ${++projects} ${crypto.randomUUID()}`;
    return new Project(name, (await issueToken(name, options)).token);
  }

  /** As a client that obeys `Retry-After`: a fast machine sends more than a hundred requests a second. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const answer = await this.callOnce(method, path, options);
    if (answer.status !== 429 || Refused.safeParse(answer.body).data?.code !== "rate_limited") return answer;
    await advance(Number(answer.headers.get("Retry-After")) * 1_000);
    return this.callOnce(method, path, options);
  }

  /** Takes a refusal by the rate limit for an answer. */
  callOnce(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    return call(method, path, { token: this.token, ...options });
  }

  /**
   * Connects through the hosted pages, as a person with a browser does, who also ticks the further logins for
   * these purposes. Returns the channel ids.
   */
  async connect(
    platform: PlatformName,
    accounts?: readonly string[],
    further: readonly GrantPurpose[] = [],
  ): Promise<number[]> {
    const started = z
      .object({ connect_url: z.string(), connect_token: z.string() })
      .parse((await this.call("POST", "/social/connect-channel", { body: { userId: "user-1" } })).body);
    const platforms = [platform, ...further.map((purpose) => `${platform}:${purpose}`)];
    const page = await connectThrough(newBrowser(), started.connect_url, { platforms, accounts });
    const status = await this.call("GET", `/social/connect-status?connect_token=${started.connect_token}`);
    const parsed = z
      .object({ connect_status: z.string(), channel_ids: z.array(z.number()).nullable() })
      .parse(status.body);
    if (parsed.connect_status !== "success" || !parsed.channel_ids) {
      throw new Error(`Not connected: ${JSON.stringify(status.body)} ${page.status} ${page.html.slice(0, 2000)}`);
    }
    return parsed.channel_ids;
  }
}

export interface ChannelRef<Name extends PlatformName = PlatformName> {
  readonly channel_type: Name;
  readonly channel_id: number;
}

export interface HomeOptions extends TokenOptions {
  /** Purposes of the further logins that its person goes through. */
  readonly further?: readonly GrantPurpose[];
}

/** A project with one channel of the platform: of the first account there, unless another is named. */
export async function projectWith<Name extends PlatformName>(
  platform: Name,
  account?: string,
  options: HomeOptions = {},
) {
  const project = await Project.create(options);
  const accountId = account ?? (await accountsOf(platform))[0];
  const [channelId] = await project.connect(platform, [accountId], options.further);
  if (channelId === undefined) throw new Error("No channel was connected.");
  const channel: ChannelRef<Name> = { channel_type: platform, channel_id: channelId };
  return { project, channel, accountId };
}

export const CreatedPost = z.object({
  message: z.string(),
  data: z.object({ post_id: z.number(), STATUS: z.string(), find_post_url: z.string() }),
  status: z.literal(true),
});

const FoundPost = z.object({
  post: z.object({
    post_id: z.number(),
    channel_type: z.string(),
    channel_id: z.string(),
    STATUS: z.string(),
    permalink: z.string().optional(),
    error: z.string().optional(),
  }),
});

/** Creates a post (published now by default) and returns its id. */
export async function createPost(
  project: Project,
  channel: ChannelRef,
  body: Record<string, unknown>,
): Promise<number> {
  const answer = await project.call("POST", "/social/create-post", {
    body: { ...channel, post_type: "post", publish_mode: "now", media_urls: [], ...body },
  });
  if (answer.status !== 200) throw new Error(`create-post: ${answer.status} ${JSON.stringify(answer.body)}`);
  return CreatedPost.parse(answer.body).data.post_id;
}

export async function findPost(project: Project, id: number) {
  const answer = await project.call("GET", `/social/post/${id}`);
  if (answer.status !== 200) throw new Error(`find-post: ${answer.status} ${JSON.stringify(answer.body)}`);
  return FoundPost.parse(answer.body).post;
}

export { HANDLES, PAGES, SANDBOX };
