// The interface between the sandbox and a platform: the hosts that it serves, and how to read what is live on
// it. To add a platform, add a value of this type to `platforms.ts`.

import type { Call } from "./calls";
import type { OwnFault } from "./faults";

export interface PlatformBindings {
  readonly call: Call;
  /** The sandbox's own origin, for links back to it. */
  readonly origin: string;
}

export interface HostApp {
  fetch(request: Request, env: PlatformBindings): Response | Promise<Response>;
}

export interface LivePost {
  platform: string;
  account_id: string;
  id: string;
  text: string;
  media: string[];
  /** One entry per media item; null if the item has none. */
  alt_texts: (string | null)[];
  /** The declarations that the post carries, by the platform's own field names. */
  labels: string[];
  /** The playlists that a video was added to; one that it was added to twice is listed twice. */
  playlists?: string[];
  /** The title of a document, or of a video that has one. */
  title?: string;
  /** The picture that was set as the cover of a video. */
  cover?: string;
  permalink: string;
  reply_to: string | null;
  created_at: string;
}

export interface LiveComment {
  platform: string;
  account_id: string;
  id: string;
  post_id: string;
  /** The comment that this one replies to; null if it replies to the post itself. */
  reply_to: string | null;
  author: string;
  author_id: string;
  text: string;
  hidden: boolean;
  /** Whether the account likes it; absent where a platform has no such act. */
  liked?: boolean;
  created_at: string;
}

export interface LiveMessage {
  platform: string;
  account_id: string;
  id: string;
  recipient: string;
  recipient_id: string;
  comment_id: string | null;
  text: string;
  created_at: string;
}

/** An object in an ad account: a campaign or a part of one. */
export interface LiveAd {
  platform: string;
  /** Id of the ad account. */
  account_id: string;
  id: string;
  /** The platform's name for the object: `campaign`, `adset`, `adgroup`, `creative`, `ad`. */
  kind: string;
  /** Id of the parent object. */
  parent_id: string | null;
  /** The promoted post. For a campaign, the post of its first ad. */
  post_id: string | null;
  name: string;
  /** The status as set by the advertiser, and the effective status, both as the platform's values. */
  status: string;
  effective_status: string;
  /** In the currency's smallest unit. Null if the object has no budget of its own. */
  budget_minor: number | null;
  budget_kind: "daily" | "lifetime" | null;
  currency: string | null;
  spend_minor: number;
  impressions: number;
  reach: number;
  start_at: string | null;
  end_at: string | null;
  created_at: string;
}

/** What an app owes a platform that charges for calls, in US dollars. */
export interface Till {
  platform: string;
  app: string;
  spent_usd: number;
  /** As if each read of the same object were charged again. */
  without_dedup_usd: number;
  /** What is left of the credits; null if they are not limited. */
  balance_usd: number | null;
  lines: { operation: string; count: number; usd: number }[];
}

export interface Account {
  platform: string;
  id: string;
  name: string;
  username: string | null;
  detail: string;
}

export interface NewAccount {
  name: string;
  username?: string | undefined;
  subscription_type?: "None" | "Basic" | "Premium" | "PremiumPlus" | undefined;
  tasks?: string[] | undefined;
}

export interface NewPost {
  account_id: string;
  text: string;
  /** Created by hand, by another application, or by our application (as if published earlier). */
  application: "hand" | "other" | "own";
  /** Epoch milliseconds. */
  createdAt: number;
}

/** A person removes our app in the platform's settings. */
export interface AppRemoval {
  /** Of whose login; for Facebook, and Instagram with Facebook Login, all accounts have one person. */
  accountId: string;
  /** Whether the person also asks for the deletion of their data. */
  withDeletion: boolean;
}

/** Webhook settings, as in an app's dashboard. */
export interface Callback {
  url: string;
  verifyToken: string;
  /** Comma-separated. If omitted, all available fields. */
  fields?: string | undefined;
}

export interface SimulatedPlatform {
  readonly name: string;
  /** The display name. */
  readonly title: string;
  readonly tables: string;
  readonly hosts: Readonly<Record<string, HostApp>>;
  /**
   * Whether this platform serves a request to a host that several platforms share. If absent, the platform
   * serves the requests that no other platform takes.
   */
  takes?(request: Request): Promise<boolean>;
  /** Faults that only this platform supports. */
  readonly ownFaults: readonly OwnFault[];
  /** Recreates the default accounts; runs on empty tables. */
  seed(): void;
  accounts(): Account[];
  addAccount(account: NewAccount): Account;
  /** Adds a live post that the service did not create. Null if the account does not exist. */
  addPost(post: NewPost): LivePost | null;
  /** The live posts, newest first: all, or the one with this id and those that reply to it. */
  posts(id?: string): LivePost[];
  comments(): LiveComment[];
  /** The messages that accounts have sent, newest first. */
  messages(): LiveMessage[];
  /**
   * Every ad object ever created, including deleted ones (status `DELETED`). Absent if the platform has no
   * ads.
   */
  ads?(): LiveAd[];
  /** Absent if the platform charges nothing for calls. */
  till?(): Till;
  /**
   * A person's message to an account; `recipient` of the result is the person. Null if the account does not
   * exist. Absent if the platform has no conversations.
   */
  addMessage?(message: { account_id: string; author: string; text: string }): LiveMessage | null;
  /** Null if the post or comment to reply to does not exist. */
  addComment(comment: { post_id: string; author: string; text: string }): LiveComment | null;
  /**
   * Ends the person's login and reports it to the addresses of the dashboard (`/_control/callbacks`). Returns
   * the person's id in our app; null if the account does not exist. Absent if the platform reports nothing.
   */
  removeApp?(removal: AppRemoval): Promise<string | null>;
  /** Absent if apps configure webhooks through the API. Throws the error that the dashboard would show. */
  configureWebhooks?(callback: Callback): Promise<void>;
}
