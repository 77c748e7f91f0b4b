import createClient, { type Client } from "openapi-fetch";
import { Webhook } from "standardwebhooks";
import { BelfryError, PostFailedError, TimeoutError } from "./errors.ts";
import { type components, IDEMPOTENT_PATHS, type paths, type webhooks } from "./openapi.ts";
import { createTransport, type Send, sleep, type TransportOptions } from "./transport.ts";

type Schemas = components["schemas"];
export type CreatePost = Schemas["CreatePost"];
export type CreatedPost = Schemas["CreatePostAnswer"]["data"];
export type CreatePosts = Schemas["CreatePosts"];
/** The result of one of several posts; `status` says which of the two it is. */
export type PostResult = Schemas["CreatedOfMany"] | Schemas["RefusedOfMany"];
export type Post = Schemas["Post"];
/** A CSV file of posts: what is wrong with which row, and how far its import is. */
export type Import = Schemas["Import"];
export type DirectMessage = Schemas["DirectMessage"];
export type UploadedMedia = Schemas["UploadedMedia"];

export interface BelfryOptions extends TransportOptions {
  /** The address of the service: `https://belfry.example.com`. */
  readonly url: string;
}

export interface CreateOptions {
  /** Default: a new one for each call, kept over its retries. Your own also covers a restart. */
  readonly idempotencyKey?: string;
}

export interface WaitOptions {
  /** Default: 10 minutes. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** The lists of the API, which are read page by page. */
export type ListPath = {
  [Path in keyof paths]: paths[Path] extends { get: { parameters: { query?: { cursor?: string } } } } ? Path : never;
}[keyof paths];
type ListOperation<Path extends ListPath> = Extract<paths[Path]["get"], { responses: unknown }>;
type ListAnswer<Path extends ListPath> = ListOperation<Path>["responses"][200]["content"]["application/json"];
export type ListItem<Path extends ListPath> = {
  [Key in keyof ListAnswer<Path>]-?: NonNullable<ListAnswer<Path>[Key]> extends {
    readonly data: readonly (infer Item)[];
  }
    ? Item
    : never;
}[keyof ListAnswer<Path>];
/** The query and the path parameters of a list. */
export type ListParams<Path extends ListPath> = Omit<ListOperation<Path>["parameters"], "header" | "cookie">;

/** A message of a webhook. */
export type WebhookEvent = {
  [Type in keyof webhooks]: NonNullable<webhooks[Type]["post"]["requestBody"]>["content"]["application/json"];
}[keyof webhooks];

/** Up to this size a file is sent in one request; the service accepts 95 MiB. */
const MAX_WHOLE_BYTES = 32 * 1024 * 1024;
const UPLOAD_TIMEOUT_MS = 300_000;

/** Paths of what is done once for each key, with any id. */
const KEYED = IDEMPOTENT_PATHS.map((path) => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`));

/** Without a key, each call gets one of its own. */
const keyOf = ({ idempotencyKey: key }: CreateOptions) => (key === undefined ? {} : { "Idempotency-Key": key });

/** A client of one project. It needs only web APIs: Node 20.3 or later, Workers, browsers. */
export class Belfry {
  /** Every operation, typed: `belfry.api.GET("/social/get-usage")`. Errors are thrown. */
  readonly api: Client<paths>;
  readonly #base: string;
  readonly #send: Send;

  constructor({ url, ...options }: BelfryOptions) {
    this.#base = `${url.replace(/\/+$/, "")}/api/v1`;
    this.#send = createTransport(options);
    this.api = createClient<paths>({ baseUrl: this.#base, fetch: (request) => this.#call(request) });
  }

  #call(request: Request): Promise<Response> {
    const path = request.url.slice(this.#base.length).replace(/\?.*/, "");
    const isCreate = request.method === "POST" && KEYED.some((one) => one.test(path));
    if (isCreate && !request.headers.has("Idempotency-Key"))
      request.headers.set("Idempotency-Key", crypto.randomUUID());
    return this.#send({ request: () => request.clone(), isRepeatable: isCreate || request.method !== "POST" });
  }

  /** Creates the post once, however often the request has to be sent. */
  async createPost(body: CreatePost, options: CreateOptions = {}): Promise<CreatedPost> {
    const params = { header: keyOf(options) };
    return dataOf(await this.api.POST("/social/create-post", { params, body })).data;
  }

  /** The same for up to 100 posts together; in mode `each`, refused ones are among the results. */
  async createPosts(body: CreatePosts, options: CreateOptions = {}): Promise<readonly PostResult[]> {
    const params = { header: keyOf(options) };
    return dataOf(await this.api.POST("/social/create-posts", { params, body })).results;
  }

  /** Checks a CSV file of posts and creates nothing; `startImport` creates them. */
  async checkImport(file: Blob, { dates }: ImportOptions = {}): Promise<Import> {
    const query = dates === undefined ? "" : `?date_format=${dates}`;
    const answer: Schemas["ImportPostsAnswer"] = await this.#put("POST", `/social/import-posts${query}`, file);
    return answer.import;
  }

  /** Creates a post for each row of a checked file, once; with `skip_refused`, without the refused rows. */
  async startImport(importId: number, body: Schemas["StartImport"] = {}): Promise<Import> {
    const params = { path: { import_id: importId } };
    return dataOf(await this.api.POST("/social/start-import/{import_id}", { params, body })).import;
  }

  /** Sends a direct message to the person of a conversation once, as `createPost` does. */
  async sendMessage(id: number, body: Schemas["SendMessage"], options: CreateOptions = {}): Promise<DirectMessage> {
    const params = { path: { conversation_id: id }, header: keyOf(options) };
    return dataOf(await this.api.POST("/social/send-message/{conversation_id}", { params, body })).message;
  }

  /** Returns the live post; throws a PostFailedError, or a TimeoutError while it is still on its way. */
  async waitUntilPublished(postId: number, { timeoutMs = 600_000, signal }: WaitOptions = {}): Promise<Post> {
    const until = Date.now() + timeoutMs;
    for (let waitMs = 500; ; waitMs = Math.min(waitMs * 1.5, 10_000)) {
      const params = { path: { post_id: String(postId) } };
      const { post } = dataOf(await this.api.GET("/social/post/{post_id}", { params, signal: signal ?? null }));
      if (post.STATUS === "published") return post;
      if (post.STATUS === "failed") throw new PostFailedError(post);
      if (post.STATUS === "draft")
        throw new BelfryError({ code: "not_changeable", message: `Post ${postId} is a draft.`, again: "no" });
      if (Date.now() + waitMs > until)
        throw new TimeoutError({ code: "timeout", message: `Post ${postId} is still ${post.STATUS}.`, again: "no" });
      await sleep(waitMs);
      signal?.throwIfAborted();
    }
  }

  /** Every item of a list, read page by page: `for await (const post of belfry.list(…))`. */
  async *list<Path extends ListPath>(path: Path, params: ListParams<Path>): AsyncGenerator<ListItem<Path>> {
    const { query, ...rest } = params as { query?: Record<string, unknown> };
    for (let cursor: string | null = ""; cursor !== null; ) {
      // The types of one list at a time are known to the caller, but not within.
      const get = this.api.GET as (path: string, init: object) => Promise<{ data?: object }>;
      const { data } = await get(path, { params: { ...rest, query: { ...query, cursor } } });
      const page = Object.values(data ?? {}).find(isPage);
      yield* (page?.data ?? []) as ListItem<Path>[];
      cursor = page?.next_cursor ?? null;
    }
  }

  /** Stores an image or a video, in parts if it is large. Its `url` goes into `media_urls`. */
  async upload(file: Blob | Uint8Array<ArrayBuffer>): Promise<UploadedMedia> {
    const blob = file instanceof Blob ? file : new Blob([file]);
    if (blob.size <= MAX_WHOLE_BYTES) {
      const stored: Schemas["UploadMediaAnswer"] = await this.#put("POST", "/social/upload-media", blob);
      return stored.data;
    }
    const { upload } = dataOf(await this.api.POST("/social/create-upload", { body: { bytes: blob.size } }));
    const { upload_id, part_bytes } = upload;
    for (let part = 1; part <= upload.parts; part++) {
      const bytes = blob.slice((part - 1) * part_bytes, part * part_bytes);
      await this.#put("PUT", `/social/upload-part/${upload_id}?part_number=${part}`, bytes);
    }
    const params = { path: { upload_id } };
    return dataOf(await this.api.POST("/social/complete-upload/{upload_id}", { params })).data;
  }

  /** A repeat replaces the part, or leaves a second file that is deleted after a week. */
  async #put<Answer>(method: string, path: string, body: Blob): Promise<Answer> {
    const headers = { "Content-Type": "application/octet-stream" };
    const request = () => new Request(`${this.#base}${path}`, { method, body, headers });
    const response = await this.#send({ request, isRepeatable: true, timeoutMs: UPLOAD_TIMEOUT_MS });
    return JSON.parse(await response.text());
  }
}

export interface ImportOptions {
  /** How the file writes dates such as 03/04/2030: `dmy` with the day first, `mdy` with the month. */
  readonly dates?: "dmy" | "mdy" | undefined;
}

interface Page {
  readonly data: readonly unknown[];
  readonly next_cursor?: string | null;
}

function isPage(value: unknown): value is Page {
  return typeof value === "object" && value !== null && "data" in value && Array.isArray(value.data);
}

/** The answer of a call of `belfry.api`. It is there: errors are thrown. */
export function dataOf<Data>({ data }: { data?: Data }): NonNullable<Data> {
  if (data === undefined || data === null)
    throw new BelfryError({ code: "unexpected", message: "The response is empty." });
  return data;
}

/**
 * The event in a request to your webhook; throws if the secret did not sign it, or if it is older than five
 * minutes. `body` is the text as it was received.
 */
export function verifyWebhook(
  body: string,
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>,
  secret: string,
): WebhookEvent {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const flat = Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
  return new Webhook(secret).verify(body, flat) as WebhookEvent;
}

// The package has one entry.
// biome-ignore lint/performance/noBarrelFile: callers catch these by class.
export {
  AccessError,
  BelfryError,
  type Code,
  ConnectionError,
  InvalidRequestError,
  LimitError,
  NotFoundError,
  PostFailedError,
  ServiceError,
  TimeoutError,
} from "./errors.ts";
export type { components, paths, webhooks } from "./openapi.ts";
