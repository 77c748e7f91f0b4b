// The registered apps at developers.tiktok.com. A user has a different `open_id` in each app.

import { callbackOf } from "../oauth";

export interface App {
  readonly key: string;
  readonly secret: string;
  /** Part of the ids that the app's users have. */
  readonly tag: string;
}

export const MAIN_APP: App = { key: "sandbox-tiktok-key", secret: "sandbox-tiktok-secret", tag: "A" };
const APPS: readonly App[] = [
  MAIN_APP,
  { key: "sandbox-tiktok-other", secret: "sandbox-tiktok-other-secret", tag: "B" },
];

export const findApp = (key: string | undefined) => APPS.find((app) => app.key === key);

export const openIdOf = (key: string, accountId: string) => `-000${findApp(key)?.tag ?? "?"}${accountId}`;
/** The account of an `open_id` of the main app; any other text is returned unchanged. */
export const accountOf = (openId: string) => openId.replace(new RegExp(`^-000${MAIN_APP.tag}`), "");

export const SCOPES: Readonly<Record<string, string>> = {
  "user.info.basic": "Read your profile info (avatar, display name)",
  "user.info.profile": "Read your additional profile info, such as your bio, profile link and username",
  "user.info.stats": "Read your profile engagement statistics, such as follower count",
  "video.list": "Read your public videos on TikTok",
  "video.upload": "Upload content as drafts to your account",
  "video.publish": "Publish content to your account",
};

/** Our app at the business portal: a separate product, in which the same user has another id. */
export const BUSINESS_APP = { id: "sandbox-tiktok-business", secret: "sandbox-tiktok-business-secret" };

export const businessIdOf = (accountId: string) => `-000Z${accountId}`;

export const BUSINESS_SCOPES: Readonly<Record<string, string>> = {
  "user.info.basic": "Read your profile info (avatar, display name)",
  "user.info.username": "Read your username",
  "user.info.stats": "Read your profile statistics, such as follower count",
  "user.info.profile": "Read your additional profile info, such as your bio",
  "user.account.type": "Read whether your account is a business account",
  "user.insights": "Read insights of your account",
  "video.list": "Read your public videos on TikTok",
  "video.insights": "Read insights of your videos",
  "comment.list": "Read the comments on your videos",
  "comment.list.manage": "Write, hide, like and delete comments on your videos",
  "biz.spark.auth": "Let advertisers use your videos in ads",
};

/**
 * Our app for ad accounts at the same portal: a third login, which belongs to the user, not to a TikTok
 * account.
 */
export const ADS_APP = { id: "sandbox-tiktok-ads", secret: "sandbox-tiktok-ads-secret" };

export const REGISTERED_BUSINESS_REDIRECTS =
  "Every https address is registered that has no port and no query, and /connect/callback/tiktok/ in its path, with a slash at its end.";

/**
 * The redirect addresses registered for both apps: any connect callback that ends with a slash, without
 * query, fragment and port.
 */
export function isRegisteredBusinessRedirect(uri: string): boolean {
  const url = URL.parse(uri);
  if (url === null || uri.length < 10 || uri.length > 512 || /[?#]/.test(uri)) return false;
  if (!/\/connect\/callback\/tiktok\/(?:[\w-]+\/)*$/.test(url.pathname)) return false;
  return (url.protocol === "https:" && url.port === "") || (url.protocol === "http:" && isLocal(url));
}

const isLocal = ({ hostname }: URL) => /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);

/**
 * The registered redirect addresses: the connect callback of any of our installations, without query and
 * fragment.
 */
export function isRegisteredRedirect(uri: string): boolean {
  const url = callbackOf("tiktok", uri);
  if (url === null || uri.length >= 512 || url.search !== "" || url.hash !== "") return false;
  return url.protocol === "https:" || isLocal(url);
}
