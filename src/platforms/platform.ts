import type { FailureCode } from "../core/failures.ts";
import type { AppName } from "./apps.ts";
import type { FilePart } from "./multipart.ts";
import type { Capability, GrantPurpose, PlatformName, PostType } from "./names.ts";
import type { Send } from "./request.ts";

/**
 * What every platform adapter offers (style.md, "One platform adapter").
 *
 * An adapter is credentials and content in, an outcome out. It keeps no state, never sleeps, loops for time or retries:
 * waiting belongs to the job that calls it. Whatever it must remember between calls is the `progress` value, plain
 * JSON that the job stores after each call and hands back with the next one.
 */
export interface Platform {
  readonly name: PlatformName;
  /** What can be posted by an account with these attributes; read by validation and by the documentation. */
  readonly rules: (attributes: AccountAttributes) => PostRules;
  readonly oauth: OAuth;
  /** The grants that an account can have. */
  readonly grants: Readonly<Partial<Record<GrantPurpose, GrantRules>>>;
  /** What an account can be asked to do, and by which grant. */
  readonly capabilities: Readonly<Partial<Record<Capability, CapabilityRules>>>;
  readonly posts: Publishing;
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Facts about an account that change what it may do, e.g. `{ "subscription_type": "Premium" }`. Stored as JSON. */
export type AccountAttributes = Readonly<Record<string, Json>>;

/** Our registration at the platform. */
export interface AppCredentials {
  readonly id: string;
  readonly secret: string;
  /** What the operator has set of the registration's variables (apps.ts); absent ones are the adapter's to choose. */
  readonly options?: Readonly<Record<string, string>>;
}

/** What a platform gave us for one account. Stored encrypted only. Times are epoch milliseconds; null = does not expire. */
export interface Credentials {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly expiresAt: number | null;
  readonly scopes: readonly string[];
}

export interface AccountRef {
  readonly id: string;
  readonly username: string | null;
  readonly attributes: AccountAttributes;
}

/** What an adapter calls a platform with. */
export interface AppContext {
  readonly send: Send;
  readonly app: AppCredentials;
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface AccountContext extends AppContext {
  readonly account: AccountRef;
  readonly credentials: Credentials;
}

/**
 * Why the platform did not do it. Our few reasons, sorted from its codes by each adapter:
 * - `token_expired`: these credentials are over, others may work; - `disconnected`: only the person can reconnect;
 * - `permission_missing`: the same, for what was asked alone: whatever else the credentials allow goes on;
 * - `rejected`: final, the message says why; - `throttled`: come back after `retryAfterSeconds`;
 * - `down`: passing trouble, nothing was done; - `blocked`: our own app registration or plan; an operator must act.
 */
export type FailureReason =
  | "token_expired"
  | "disconnected"
  | "permission_missing"
  | "rejected"
  | "throttled"
  | "down"
  | "blocked";

/** What a platform says beyond the reason: what exactly it does not take, or whose move it is. */
export type SaidCode = Extract<
  FailureCode,
  | "account_restricted"
  | "content_invalid"
  | "content_refused"
  | "media_invalid"
  | "media_unreachable"
  | "unsupported_by_platform"
>;

export interface Failure {
  readonly kind: "failed";
  readonly reason: FailureReason;
  /** Where the platform says more than the reason does; else the reason gives the code (outcomes.ts). */
  readonly code?: SaidCode;
  /** One sentence for the person who posts: what is wrong and what to do next. */
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

/** The answer was lost after the platform may have acted. Never sent again blindly: looked up with `find`. */
export interface Unknown {
  readonly kind: "unknown";
  readonly message: string;
}

/**
 * The platform says that the same thing is there already: evidence that an earlier call of ours was carried out. Looked up
 * with `find`, and never sent again.
 */
export interface Duplicate {
  readonly kind: "duplicate";
  readonly message: string;
}

// --- connecting -------------------------------------------------------------------------------------------------

export interface OAuth {
  /** The app registration that asks for the login. */
  readonly app: AppName;
  readonly scopes: readonly string[];
  readonly setup: AppSetup;
  /** Whether the platform verifies a PKCE S256 challenge. */
  readonly pkce: boolean;
  /**
   * Errors of the platform's own with which a login comes back in place of a code, beside OAuth's `access_denied`: the
   * person said no, or a sentence for what is wrong.
   */
  readonly loginErrors?: Readonly<Record<string, "declined" | { readonly message: string }>>;
  /** The real address of the consent page (rewritten for test projects by the caller). */
  authorizeUrl(app: AppCredentials, request: AuthorizeRequest): URL;
  /** Turns the code into everything this login can connect. Called once, inside the callback request. */
  exchange(context: AppContext, grant: CodeGrant): Promise<Granted | Failure>;
}

/** What our registration must look like in the platform's console, and how to see whether it does. */
export interface AppSetup {
  readonly site: string;
  /** The console's own words for where it stands. */
  readonly redirectSetting: string;
  readonly scopesSetting: string;
  /** Asks the platform; absent where it tells an app nothing about itself. Changes nothing there. */
  readonly check?: (context: AppContext, redirectUri: string) => Promise<readonly AppFinding[]>;
}

export type AppFinding = { readonly topic: "credentials" | "redirect" | "webhooks"; readonly message: string } & (
  | { readonly isGood: true }
  /** `fix` is what to do, in a sentence. */
  | { readonly isGood: false; readonly fix: string }
);

export interface GrantRules {
  /** The app registration that its credentials were given to. */
  readonly app: AppName;
  /** Absent where credentials cannot be renewed without the person. */
  readonly renewal?: Renewal;
}

/** How credentials are renewed. `refresh` must be called by one owner at a time: what it presents may work only once. */
export type Renewal = {
  refresh(context: AccountContext): Promise<Refreshed | Failure>;
} & (
  | { readonly by: "refresh_token" }
  /** The token that still works is presented to get one that works longer, and must be this old by then. */
  | { readonly by: "access_token"; readonly minAgeSeconds: number }
);

export interface CapabilityRules {
  readonly grant: GrantPurpose;
  /** Without these it is not even tried. */
  readonly scopes: readonly string[];
}

export interface AuthorizeRequest {
  readonly redirectUri: string;
  readonly state: string;
  /** Base64url SHA-256 of the verifier; null where `pkce` is false. */
  readonly codeChallenge: string | null;
}

export interface CodeGrant {
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string | null;
}

export interface Granted {
  readonly kind: "granted";
  readonly accounts: readonly GrantedAccount[];
}

export interface GrantedAccount {
  readonly id: string;
  readonly name: string;
  readonly username: string | null;
  readonly pictureUrl: string | null;
  readonly attributes: AccountAttributes;
  /** None, and a sentence in `unusableReason`, when this login can do nothing with the account. */
  readonly grants: Readonly<Partial<Record<GrantPurpose, Credentials>>>;
  readonly unusableReason: string | null;
}

export interface Refreshed {
  readonly kind: "refreshed";
  /** A null refresh token means "keep the one you have". */
  readonly credentials: Credentials;
}

// --- what can be posted -----------------------------------------------------------------------------------------

export type MediaKind = "image" | "gif" | "video";

/** A media file as probed: its type is read from its bytes, never from its name. */
export interface MediaFile {
  /** As the user gave it. */
  readonly url: string;
  readonly kind: MediaKind;
  /** e.g. `image/jpeg`, `video/mp4`. */
  readonly mime: string;
  readonly bytes: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationSeconds: number | null;
}

/** A file in its place in an item. */
export interface Media extends MediaFile {
  /**
   * Where a platform gets it that fetches files itself: open to everyone, and unchanged until the post is live. The
   * user's own address, for no other is taken (media/address.ts); in development that may be a loopback one, which the
   * sandbox reaches. Where a platform fetches from verified domains only, the address of a copy of ours belongs here.
   */
  readonly publicUrl: string;
  /** What it shows, for those who cannot see it; null without one. */
  readonly altText: string | null;
}

/** Rules by post type; a type that is absent cannot be posted here. */
export type PostRules = Readonly<Partial<Record<PostType, TypeRules>>>;

export interface TypeRules {
  readonly text: TextRules;
  /** Of the title in `post_extra`; absent where none is shown. */
  readonly title?: TextRules;
  readonly media: MediaCountRules;
  readonly files: Readonly<Partial<Record<MediaKind, FileRules>>>;
  /** Number of items of a thread; `{ min: 1, max: 1 }` elsewhere. */
  readonly items: { readonly min: number; readonly max: number };
}

export interface TextRules {
  readonly max: number;
  /** Length as the platform counts it. */
  readonly measure: (text: string) => number;
  /** Word for the unit in messages: "characters", "weighted characters". */
  readonly unit: string;
  /** Further limits that the text alone decides, worded to follow its name ("must …"); empty when fine. */
  readonly problems?: (text: string) => readonly string[];
}

export interface MediaCountRules {
  readonly min: number;
  readonly max: number;
  /** At most this many of a kind in one item; a kind that is absent is not allowed. */
  readonly of: Readonly<Partial<Record<MediaKind, number>>>;
  /** Kinds that cannot share an item with another kind. */
  readonly alone: readonly MediaKind[];
}

export interface FileRules {
  readonly mimes: readonly string[];
  readonly minBytes?: number;
  readonly maxBytes: number;
  /** UTF-16 units; absent where the platform takes no alt text for such a file. */
  readonly maxAltText?: number;
  readonly minSeconds?: number;
  readonly maxSeconds?: number;
  readonly minWidth?: number;
  readonly minHeight?: number;
  readonly maxWidth?: number;
  readonly maxHeight?: number;
  /** Width times height. */
  readonly maxPixels?: number;
  /** Width divided by height. */
  readonly minRatio?: number;
  readonly maxRatio?: number;
}

// --- publishing -------------------------------------------------------------------------------------------------

export interface Content {
  readonly type: PostType;
  /** One item, or the items of a thread in order. Hashtags are already part of the text. */
  readonly items: readonly ContentItem[];
  /** What youtube asks for beside text and media; null where the request had none. */
  readonly extra: PostExtra | null;
  /** Our own comment, to go under the post when it is live. Always null until create-post takes one. */
  readonly firstComment: string | null;
  /** The bytes [start, end) of a media file, by the guarded request: to be sent on, once; or why not. */
  readonly read: (media: MediaFile, start: number, end: number) => Promise<FilePart | Failure>;
}

export interface ContentItem {
  readonly text: string;
  readonly media: readonly Media[];
}

/** `post_extra` of create-post (spec 4.4): a title where youtube is posted to, else whatever was sent. */
export interface PostExtra {
  readonly title?: string | undefined;
  /** One of youtube's category ids. */
  readonly category: number;
  readonly privacyStatus: "public" | "private" | "unlisted";
}

/** A post at the platform. `id` is what comments and boosts use. */
export interface PlatformPost {
  readonly id: string;
  /**
   * A second id of the same thing, where the platform has one that some of its calls want: facebook's video beside the post
   * that shows it, LinkedIn's activity beside its share.
   */
  readonly secondaryId: string | null;
  /** Null until the platform tells it (`Permalinks`). */
  readonly permalink: string | null;
}

/** One public act: item `index` of the content, after `previous` (the items of the thread that are live). */
export interface Commit {
  readonly index: number;
  readonly previous: readonly PlatformPost[];
}

export interface FindRequest extends Commit {
  /** Epoch milliseconds at which the act was begun. */
  readonly since: number;
  /** Platform ids that belong to other posts made through this service, on this account: never to be adopted. */
  readonly taken: ReadonlySet<string>;
}

/** An item that the platform has accepted and that was not seen live yet. */
export interface Accepted {
  readonly index: number;
  readonly post: PlatformPost;
  /** Epoch milliseconds at which the act was begun. */
  readonly since: number;
}

export type PrepareOutcome =
  /** One bounded thing was done, or must be waited for; store `progress` and call again, after `afterSeconds` if given. */
  | { readonly kind: "more"; readonly progress: Json; readonly afterSeconds?: number; readonly reason?: string }
  | { readonly kind: "ready"; readonly progress: Json }
  | Failure;

export type CommitOutcome =
  | { readonly kind: "published"; readonly post: PlatformPost }
  /** Accepted, but not live yet: ask `confirm`. */
  | { readonly kind: "accepted"; readonly post: PlatformPost; readonly afterSeconds: number }
  | Unknown
  | Duplicate
  | Failure;

export type ConfirmOutcome =
  | { readonly kind: "live"; readonly post: PlatformPost }
  | { readonly kind: "processing"; readonly afterSeconds: number }
  /** The platform says that it will never be live by itself: the sentence says why, and what to do. */
  | { readonly kind: "broken"; readonly code: SaidCode | "platform_rejected"; readonly message: string }
  /** The reading failed, whatever its reason: nothing is known of the item. */
  | Failure;

export type FindOutcome =
  | { readonly kind: "found"; readonly post: PlatformPost }
  /** Not there, as far as the platform shows by now. The caller looks again until `lists.lagSeconds` have passed. */
  | { readonly kind: "absent" }
  /** Cannot tell, now: not all was seen, or something is there that may be ours, altered. Never sent again on that. */
  | Unknown
  | Failure;

export type PermalinkOutcome =
  /** The post as it is known by now: with the address may come another id, as from TikTok after its moderation. */
  | { readonly kind: "told"; readonly post: PlatformPost & { readonly permalink: string } }
  | { readonly kind: "not_yet" }
  | Failure;

/** When the platform tells the address of a live post, for those that it did not tell with the post itself. */
export type Permalinks =
  /** Within seconds: publishing asks a few times, and does without it where that is in vain. */
  | { readonly told: "at_once"; readonly read: ReadPermalink }
  /** Perhaps hours later, or not at all: the post is published without it, and it is asked for so long afterwards. */
  | { readonly told: "later"; readonly forSeconds: number; readonly read: ReadPermalink }
  | { readonly told: "never" };

export type ReadPermalink = (context: AccountContext, post: PlatformPost) => Promise<PermalinkOutcome>;

export type RemoveOutcome = { readonly kind: "removed" } | Failure;

/** How far a look-up that finds nothing can be trusted. */
export interface Lists {
  /** How late the platform may show what it has accepted. Nothing is sent again before that, unless it is protected. */
  readonly lagSeconds: number;
  /** Whether the platform itself refuses this item when it is there already, however its lists lag. */
  refusesRepeat(content: Content, index: number): boolean;
}

/**
 * Publishing in steps: `prepare` uploads and may be repeated, `commit` makes one item public and runs once,
 * `confirm` and `find` only read.
 */
export interface Publishing {
  readonly lists: Lists;
  prepare(context: AccountContext, content: Content, progress: Json | null): Promise<PrepareOutcome>;
  commit(context: AccountContext, content: Content, progress: Json, commit: Commit): Promise<CommitOutcome>;
  confirm(context: AccountContext, content: Content, progress: Json, accepted: Accepted): Promise<ConfirmOutcome>;
  find(context: AccountContext, content: Content, progress: Json, request: FindRequest): Promise<FindOutcome>;
  readonly permalink: Permalinks;
  /** Absent where the platform has no such call. Removing what is gone already is `removed`. */
  remove?(context: AccountContext, type: PostType, post: PlatformPost): Promise<RemoveOutcome>;
}
