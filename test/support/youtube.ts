import { env } from "cloudflare:workers";
import { afterEach, beforeAll } from "vitest";
import { z } from "zod";
import { advance } from "./clock.ts";
import { YOUTUBE_CHANNELS } from "./person.ts";
import { type Answer, codeOf, decided, send } from "./platform.ts";
import { sandbox } from "./sandbox.ts";

/**
 * Raw requests to the simulated YouTube: logins by hand, sessions byte
 * by byte.
 */

export const UNIT = 262_144;
export const DAY_MS = 86_400_000;
const UPLOAD = "/upload/youtube/v3/videos";

const USUAL = {
  processing_ms: 0,
  youtube_uploads_per_day: 100_000,
  youtube_units_per_day: 100_000,
  youtube_channel_uploads_per_day: 100_000,
  youtube_finished_session: "kept",
  youtube_partial_storage: false,
  youtube_silent_end: false,
  youtube_misplaced_bytes: "range",
  youtube_session_conflicts: 0,
  youtube_listing_lag_ms: 0,
  youtube_file_details_ms: 0,
  youtube_replication_lag_ms: 0,
  youtube_file_names: true,
  youtube_text_readback: "exact",
  youtube_no_channel: "empty",
  youtube_testing: false,
  youtube_grant_seconds: 0,
} as const;

/** What a test has at hand: who it is, and a small true video. Call `simulated` at the top of a file. */
export const yt: { token: string; clip: Uint8Array<ArrayBuffer> } = { token: "", clip: new Uint8Array() };

export function simulated(): typeof yt {
  beforeAll(async () => {
    yt.clip = new Uint8Array(await (await env.SANDBOX.fetch(sandbox.media("clip.mp4"))).arrayBuffer());
    await sandbox.settings(USUAL);
    await loginAs(YOUTUBE_CHANNELS.bakery);
  });
  afterEach(() => sandbox.settings(USUAL));
  return yt;
}

export async function loginAs(account: string): Promise<void> {
  yt.token = (await googleLogin({ account })).access_token;
}

/** The clock moves: what was given before may be over. */
export async function later(ms: number): Promise<void> {
  await advance(ms);
  await loginAs(YOUTUBE_CHANNELS.bakery);
}

const GOOGLE_APP = { id: "sandbox-google.apps.googleusercontent.com", secret: "sandbox-google-secret" };
export const YOUTUBE_REDIRECT = "https://any.test/connect/callback/youtube";
const GOOGLE_SCOPES = "https://www.googleapis.com/auth/";

export interface GoogleLogin {
  /** Of a channel; "none" is an account without one. */
  readonly account?: string;
  /** The requested scopes, by the ends of their names. */
  readonly scopes?: readonly string[];
  /** What the person leaves selected. Default: everything. */
  readonly ticked?: readonly string[];
  /** Replaces the usual parameters of the page. */
  readonly query?: Readonly<Record<string, string>>;
}

const YOUTUBE_SCOPES = ["youtube.upload", "youtube.readonly", "youtube.force-ssl"];

/** An authorization code of Google's, by its consent form. */
export async function googleCode({
  account = YOUTUBE_CHANNELS.bakery,
  scopes = YOUTUBE_SCOPES,
  ticked = scopes,
  query,
}: GoogleLogin = {}) {
  const requested = {
    client_id: GOOGLE_APP.id,
    redirect_uri: YOUTUBE_REDIRECT,
    response_type: "code",
    scope: scopes.map((name) => GOOGLE_SCOPES + name).join(" "),
    access_type: "offline",
    prompt: "consent",
    state: "s",
    ...query,
  };
  const form = [...decided(requested), ["account", account], ...ticked.map((name) => ["scope", GOOGLE_SCOPES + name])];
  return codeOf("https://accounts.google.com/o/oauth2/v2/auth", form);
}

export function googleToken(form: Record<string, string>): Promise<Answer> {
  const body = new URLSearchParams({ client_id: GOOGLE_APP.id, client_secret: GOOGLE_APP.secret, ...form });
  return send("https://oauth2.googleapis.com/token", { method: "POST", body });
}

const GoogleTokens = z.looseObject({
  access_token: z.string(),
  refresh_token: z.string().optional(),
  scope: z.string(),
});

export async function googleLogin(login: GoogleLogin = {}): Promise<z.infer<typeof GoogleTokens>> {
  const code = await googleCode(login);
  return GoogleTokens.parse(
    (await googleToken({ grant_type: "authorization_code", code, redirect_uri: YOUTUBE_REDIRECT })).json,
  );
}

/** A call of the Data API; a body is sent as JSON. */
export function youtubeApi(method: string, path: string, token: string, body?: unknown): Promise<Answer> {
  return send(`https://www.googleapis.com${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "Content-Type": "application/json; charset=UTF-8" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const Refusal = z.object({
  error: z.looseObject({ code: z.number(), errors: z.array(z.looseObject({ reason: z.string() })).min(1) }),
});
/** Status and reason of a refusal in Google's form. */
export function reasonOf(answer: Answer): string {
  const { error } = Refusal.parse(answer.json);
  if (error.code !== answer.status) throw new Error(`The body says ${error.code}, the status ${answer.status}.`);
  return `${answer.status} ${error.errors[0]?.reason}`;
}

export const METADATA = { snippet: { title: "A video", description: "By hand" }, status: { privacyStatus: "public" } };

export function openSession(
  body: object = METADATA,
  headers: Record<string, string> = {},
  query = "",
): Promise<Answer> {
  return send(`https://www.googleapis.com${UPLOAD}?uploadType=resumable&part=snippet,status${query}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${yt.token}`,
      "Content-Type": "application/json; charset=UTF-8",
      "X-Upload-Content-Length": String(yt.clip.length),
      "X-Upload-Content-Type": "video/mp4",
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

export async function sessionOf(body: object = METADATA, headers: Record<string, string> = {}): Promise<string> {
  const location = (await openSession(body, headers)).headers.get("location");
  if (location === null) throw new Error("No session was opened.");
  return location;
}

/** Sends bytes to a session, or a question; null for no token. */
export function put(
  session: string,
  bytes: Uint8Array<ArrayBuffer> | null,
  range?: string,
  login: string | null = yt.token,
) {
  const headers: Record<string, string> = range === undefined ? {} : { "Content-Range": range };
  if (login !== null) headers.Authorization = `Bearer ${login}`;
  return send(session, { method: "PUT", headers, body: bytes });
}

export const Video = z.looseObject({ id: z.string(), status: z.looseObject({ uploadStatus: z.string() }) });

/** A whole video in one go; its id. */
export async function upload(body: object = METADATA): Promise<string> {
  return Video.parse((await put(await sessionOf(body), yt.clip)).json).id;
}

const Listed = z.object({ items: z.array(z.looseObject({ id: z.string() })) });
/** The items of a list. */
export async function listed(path: string, login = yt.token) {
  return Listed.parse((await youtubeApi("GET", `/youtube/v3/${path}`, login)).json).items;
}
