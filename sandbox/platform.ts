// What the rest of the sandbox knows of a platform: the hosts it answers for, and how to read what is live on
// it. A further platform is one more value of this type in `platforms.ts`.

import type { Call } from "./calls";
import type { OwnFault } from "./faults";

export interface PlatformBindings {
  readonly call: Call;
  /** Where the sandbox itself is reached, for links back to it. */
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
  /** Of each of the media, null where it has none. */
  alt_texts: (string | null)[];
  permalink: string;
  reply_to: string | null;
  created_at: string;
}

export interface LiveComment {
  platform: string;
  account_id: string;
  id: string;
  post_id: string;
  /** The comment this one answers, null when it answers the post itself. */
  reply_to: string | null;
  author: string;
  author_id: string;
  text: string;
  hidden: boolean;
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

/** What an account has made to be paid for. */
export interface LiveAd {
  platform: string;
  /** The ad account's. */
  account_id: string;
  id: string;
  /** What the platform calls it: `campaign`, `adset`, `adgroup`, `creative`, `ad`. */
  kind: string;
  /** Of which it is a part. */
  parent_id: string | null;
  /** What it promotes; of a campaign, what the first of its ads does. */
  post_id: string | null;
  name: string;
  /** As it was set, and what follows from that and everything else, in the platform's words. */
  status: string;
  effective_status: string;
  /** In the currency's smallest unit, where the object has a budget of its own. */
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
  /** By hand, by another application, or by ours (as if it had been published before). */
  application: "hand" | "other" | "own";
  /** Epoch milliseconds. */
  createdAt: number;
}

/** Where webhooks go, as an app's dashboard has it. */
export interface Callback {
  url: string;
  verifyToken: string;
  /** Separated by commas; what there is, where it is left out. */
  fields?: string | undefined;
}

export interface SimulatedPlatform {
  readonly name: string;
  /** How people call it. */
  readonly title: string;
  readonly tables: string;
  readonly hosts: Readonly<Record<string, HostApp>>;
  /**
   * Whether a request to a host that several platforms share is this one's; absent where it takes what is
   * left.
   */
  takes?(request: Request): Promise<boolean>;
  /** The faults that only this platform knows. */
  readonly ownFaults: readonly OwnFault[];
  /** Puts the accounts back that everybody may rely on; runs on empty tables. */
  seed(): void;
  accounts(): Account[];
  addAccount(account: NewAccount): Account;
  /** Puts a live post there that the service did not make; null when there is no such account. */
  addPost(post: NewPost): LivePost | null;
  /** What is live now, newest first. */
  posts(): LivePost[];
  comments(): LiveComment[];
  messages(): LiveMessage[];
  /**
   * Every one that was ever made, deleted ones too (their status is `DELETED`); absent where nothing is
   * advertised.
   */
  ads?(): LiveAd[];
  /** Null when there is no such post or comment to answer. */
  addComment(comment: { post_id: string; author: string; text: string }): LiveComment | null;
  /** Absent where an app does so by its API. Throws what the dashboard would say. */
  configureWebhooks?(callback: Callback): Promise<void>;
}
