import { z } from "zod";
import { type Answer, decided, send } from "./platform.ts";
import { sandbox } from "./sandbox.ts";

/** Raw requests to the simulated TikTok, and logins by hand. */

export const APP = { client_key: "sandbox-tiktok-key", client_secret: "sandbox-tiktok-secret" };
export const OTHER_APP = { client_key: "sandbox-tiktok-other", client_secret: "sandbox-tiktok-other-secret" };
export const REDIRECT = "https://any.test/connect/callback/tiktok";
/** Public, with everything allowed; and a private one, without comments. */
export const BAKERY = "-000A5001";
export const BIKES = "-000A5003";
export const API = "https://open.tiktokapis.com/v2";
export const ALL = [
  "user.info.basic",
  "user.info.profile",
  "user.info.stats",
  "video.list",
  "video.upload",
  "video.publish",
];

export const settings = (changed: Record<string, unknown>) => sandbox.control("POST", "settings", changed);

/** Where the consent page sends the browser; null where it sends it nowhere. */
export async function consent(
  scopes: readonly string[] = ALL,
  { account = BAKERY, ticked = scopes, decision = "allow", query = {} as Record<string, string> } = {},
): Promise<URLSearchParams | null> {
  const requested = {
    client_key: APP.client_key,
    response_type: "code",
    scope: scopes.join(","),
    redirect_uri: REDIRECT,
    state: "s",
    ...query,
  };
  const body = new URLSearchParams([
    ...decided(requested, decision),
    ["account", account],
    ...ticked.map((scope) => ["scope", scope]),
  ]);
  const answer = await send("https://www.tiktok.com/v2/auth/authorize/", { method: "POST", body });
  const location = answer.headers.get("location");
  return location === null ? null : new URL(location).searchParams;
}

export const form = (path: string, fields: Record<string, string>) =>
  send(`${API}/oauth/${path}/`, { method: "POST", body: new URLSearchParams(fields) });

export const Token = z.looseObject({
  access_token: z.string(),
  refresh_token: z.string(),
  open_id: z.string(),
  scope: z.string(),
});

export async function login(account = BAKERY, scopes: readonly string[] = ALL, app = APP) {
  const code = (await consent(scopes, { account, query: { client_key: app.client_key } }))?.get("code") ?? "";
  const grant = { grant_type: "authorization_code", code, redirect_uri: REDIRECT };
  return Token.parse((await form("token", { ...app, ...grant })).json);
}

export function api(token: string, path: string, body: unknown = {}, method = "POST"): Promise<Answer> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json; charset=UTF-8" };
  return send(`${API}/${path}`, { method, headers, ...(method === "POST" ? { body: JSON.stringify(body) } : {}) });
}

const Envelope = z.object({ error: z.looseObject({ code: z.string() }) });
/** Status and code of an answer. */
export const said = ({ status, json }: Answer) => [status, Envelope.parse(json).error.code] as const;

/** What goes with a public post. */
export const PUBLIC = {
  privacy_level: "PUBLIC_TO_EVERYONE",
  disable_comment: false,
  disable_duet: false,
  disable_stitch: false,
};

const Opened = z.object({ data: z.object({ publish_id: z.string(), upload_url: z.string() }) });
const Begun = z.object({ data: z.object({ publish_id: z.string() }) });

export const source = (video_size: number, chunk_size = video_size, total_chunk_count = 1) => ({
  source: "FILE_UPLOAD",
  video_size,
  chunk_size,
  total_chunk_count,
});

export const initVideo = (token: string, source_info: object, post_info: object = {}) =>
  api(token, "post/publish/video/init/", { post_info: { ...PUBLIC, title: "A video", ...post_info }, source_info });

export async function openVideo(token: string, source_info: object, post_info: object = {}) {
  return Opened.parse((await initVideo(token, source_info, post_info)).json).data;
}

/** Sends bytes as the range that begins at `start`. */
export const put = putAs("video/mp4");

export function putAs(type: string) {
  return (url: string, bytes: Uint8Array<ArrayBuffer>, start: number, total: number) => {
    const headers = { "Content-Type": type, "Content-Range": `bytes ${start}-${start + bytes.length - 1}/${total}` };
    return send(url, { method: "PUT", headers, body: bytes });
  };
}

export async function sampleBytes(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const { env } = await import("cloudflare:workers");
  return new Uint8Array(await (await env.SANDBOX.fetch(sandbox.media(name))).arrayBuffer());
}

/** The task of a whole small video. */
export async function publishVideo(token: string, post_info: object = {}, name = "reel.mp4"): Promise<string> {
  const bytes = await sampleBytes(name);
  const { publish_id, upload_url } = await openVideo(token, source(bytes.length), post_info);
  const answer = await put(upload_url, bytes, 0, bytes.length);
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
  return publish_id;
}

export const initPhotos = (token: string, photo_images: readonly string[], post_info: object = {}, more: object = {}) =>
  api(token, "post/publish/content/init/", {
    media_type: "PHOTO",
    post_mode: "DIRECT_POST",
    post_info: { description: "Pictures", ...PHOTO_INFO, ...post_info },
    source_info: { source: "PULL_FROM_URL", photo_cover_index: 0, photo_images },
    ...more,
  });
const PHOTO_INFO = { privacy_level: "PUBLIC_TO_EVERYONE", disable_comment: false, auto_add_music: true };

export async function publishPhotos(token: string, urls: readonly string[], post_info: object = {}): Promise<string> {
  return Begun.parse((await initPhotos(token, urls, post_info)).json).data.publish_id;
}

export const statusOf = (token: string, publish_id: string) => api(token, "post/publish/status/fetch/", { publish_id });

export const unique = (text: string) => `${text} ${crypto.randomUUID()}`;

/** No time passes, and no limits but those that a test sets. */
export const calmTiktok = () =>
  settings({
    strict: true,
    processing_ms: 0,
    tiktok_refresh_rotation: "old_dies",
    tiktok_audited: true,
    tiktok_posting_users_per_day: 1_000,
    tiktok_posts_per_day: 1_000_000,
    tiktok_pending_drafts_per_day: 5,
    tiktok_creator_info_per_minute: 1_000_000,
    tiktok_inits_per_minute: 1_000_000,
    tiktok_status_per_minute: 1_000_000,
    tiktok_verified_urls: "",
    tiktok_upload_seconds: 3_600,
    tiktok_chunk_counts: "documented",
    tiktok_chunk_answers: "documented",
    tiktok_moderation_ms: 0,
    tiktok_listing_lag_ms: 0,
    tiktok_post_ids: "one",
  });
