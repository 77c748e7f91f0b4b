// Instagram: both Graph hosts, both logins, and the interface to the rest of the sandbox. Instagram shares
// Facebook's hosts. The app or token of a request identifies Instagram's requests there.

import type { Hono } from "hono";
import { z } from "zod";
import { sendSignedRequests } from "../app-removals";
import { numberOf } from "../digest";
import { parseJson } from "../json";
import { adsRoutes } from "../meta/ads/index";
import { liveAds } from "../meta/ads/live";
import { sentMail, toLiveMessage } from "../meta/conversations";
import { graphHost, TASKS, VERSIONS } from "../meta/host";
import { hasLogin, revokeLogins, strings } from "../meta/logins";
import type { GraphEnv } from "../meta/params";
import type { Account, LiveComment, LivePost, SimulatedPlatform } from "../platform";
import type { Sandbox } from "../sandbox";
import { instagramAds } from "./ads";
import { commentRoutes } from "./comments";
import { facebookWebsite, instagramWebsite } from "./consent";
import { containerRoutes } from "./containers";
import { insightsRoutes } from "./insights";
import { apiApp, instagramTokenRoutes } from "./instagram-login";
import { mediaRoutes } from "./media";
import { messageRoutes, writeMail } from "./messages";
import { nodeRoutes } from "./nodes";
import { loginRoutes } from "./pages";
import { permalink } from "./permalink";
import { publishRoutes } from "./publish";
import { ruploadApp } from "./rupload";
import { GRAPH_OF } from "./shapes";
import {
  type AccountRow,
  appScopedId,
  type CommentRow,
  childrenOf,
  findAccount,
  findComment,
  findMedia,
  INSTAGRAM_TABLES,
  insertAccount,
  insertMedia,
  isLive,
  listAccounts,
  liveMedia,
  type MediaRow,
  newAccountId,
  newMediaId,
  PERSON,
} from "./store";
import { configureCallback, subscriptionRoutes } from "./subscriptions";
import { APP_ID, APP_SECRET, countUse, findToken, LOGIN_APP } from "./tokens";
import { writeComment } from "./webhooks";

export function instagram(sandbox: Sandbox): SimulatedPlatform {
  return {
    name: "instagram",
    title: "Instagram",
    tables: INSTAGRAM_TABLES,
    ownFaults: [],
    hosts: {
      "graph.facebook.com": graphApp(sandbox, GRAPH_OF.facebook, [
        loginRoutes(sandbox),
        adsRoutes({ sandbox, app: instagramAds(sandbox) }),
      ]),
      "www.facebook.com": facebookWebsite(sandbox),
      "rupload.facebook.com": ruploadApp(sandbox),
      "graph.instagram.com": graphApp(sandbox, GRAPH_OF.instagram, [instagramTokenRoutes(sandbox)]),
      "api.instagram.com": apiApp(sandbox),
      "www.instagram.com": instagramWebsite(sandbox),
    },
    takes: (request) => takes(sandbox, request),
    seed: () => seed(sandbox),
    accounts: () => listAccounts(sandbox).map(toAccount),
    addAccount({ name, username, tasks }) {
      const id = newAccountId(sandbox);
      const handle = username ?? `account_${id.slice(-6)}`;
      const page = { page_id: `105${id.slice(3)}`, page_name: name };
      insertAccount(sandbox, { id, username: handle, name, ...page, tasks: tasks ?? TASKS });
      return toAccount({ id, username: handle, name, ...page, tasks: "[]" });
    },
    addPost({ account_id, text, createdAt }) {
      if (!findAccount(sandbox, account_id)) return null;
      const id = newMediaId(sandbox);
      const image = { url: "/_media/square.jpg", alt_text: null, is_video: 0, parent_id: null, labels: "[]" };
      insertMedia(sandbox, { id, account_id, kind: "IMAGE", caption: text, ...image, live_at: createdAt });
      const media = findMedia(sandbox, id);
      return media && toLivePost(sandbox, media);
    },
    posts: (id) => liveMedia(sandbox, { id }).map((media) => toLivePost(sandbox, media)),
    comments: () =>
      sandbox.db
        .all<CommentRow>("SELECT * FROM instagram_comments ORDER BY created_at DESC, id DESC")
        .map((row) => toLiveComment(sandbox, row)),
    messages: () => sentMail(sandbox, "instagram"),
    ads: () => liveAds(sandbox, "instagram"),
    addMessage({ account_id, author, text }) {
      const account = findAccount(sandbox, account_id);
      if (!account) return null;
      const person = { recipient_id: personId(author), recipient_name: author };
      const mail = writeMail(sandbox, account, { ...person, comment_id: null, text, is_incoming: 1 });
      return toLiveMessage(sandbox, "instagram", mail);
    },
    async removeApp(removal) {
      if (!findAccount(sandbox, removal.accountId)) return null;
      // The account's own login, if it has one; else that of the person at Facebook.
      if (hasLogin(sandbox, LOGIN_APP.id, removal.accountId)) {
        const userId = appScopedId(removal.accountId);
        revokeLogins(sandbox, LOGIN_APP.id, removal.accountId);
        await sendSignedRequests(sandbox, { platform: "instagram", secret: LOGIN_APP.secret, userId }, removal);
        return userId;
      }
      revokeLogins(sandbox, APP_ID);
      await sendSignedRequests(sandbox, { platform: "instagram", secret: APP_SECRET, userId: PERSON.id }, removal);
      return PERSON.id;
    },
    addComment({ post_id, author, text }) {
      const target = findComment(sandbox, post_id);
      const media = findMedia(sandbox, target?.media_id ?? post_id);
      if (!media || !isLive(media, sandbox.now())) return null;
      const row = writeComment(sandbox, {
        media_id: media.id,
        account_id: media.account_id,
        parent_id: target && (target.parent_id ?? target.id),
        author_id: personId(author),
        author_name: author,
        text,
      });
      return toLiveComment(sandbox, row);
    },
    configureWebhooks: (callback) => configureCallback(sandbox, callback),
  };
}

function graphApp(sandbox: Sandbox, origin: string, login: Hono<GraphEnv>[]) {
  return graphHost(sandbox, {
    platform: "instagram",
    origin,
    versions: VERSIONS,
    count: (c) => countUse(sandbox, c),
    routes: [
      ...login,
      subscriptionRoutes(sandbox),
      containerRoutes(sandbox),
      publishRoutes(sandbox),
      mediaRoutes(sandbox),
      commentRoutes(sandbox),
      messageRoutes(sandbox),
      insightsRoutes(sandbox),
      nodeRoutes(sandbox),
    ],
  });
}

async function takes(sandbox: Sandbox, request: Request): Promise<boolean> {
  const url = new URL(request.url);
  if (!url.host.endsWith("facebook.com") || url.pathname.startsWith("/ig-api-upload/")) return true;
  if (isOwn(sandbox, url.searchParams)) return true;
  const sent = /^(?:Bearer|OAuth) (\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (sent !== undefined) return isOwnToken(sandbox, sent);
  return isOwn(sandbox, await readFields(request));
}

const isOwnToken = (sandbox: Sandbox, token: string) =>
  token.startsWith(`${APP_ID}|`) || findToken(sandbox, token) !== null;

function isOwn(sandbox: Sandbox, fields: URLSearchParams): boolean {
  const token = fields.get("access_token");
  const client = fields.get("client_id") ?? fields.get("query.client_id");
  return client === APP_ID || (token !== null && isOwnToken(sandbox, token));
}

/** The fields of a small body; files are not parsed. */
async function readFields(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get("content-type") ?? "";
  const isSmall = Number(request.headers.get("content-length") ?? "0") <= 1_000_000;
  if (!request.body || !isSmall) return new URLSearchParams();
  // Avoids `text()`: the runtime logs a warning for every form that is read with it.
  const text = new TextDecoder().decode(await request.clone().arrayBuffer());
  if (type.includes("application/x-www-form-urlencoded")) return new URLSearchParams(text);
  const body = type.includes("application/json") ? Strings.safeParse(parseJson(text)).data : undefined;
  return new URLSearchParams(body);
}

const Strings = z.record(z.string(), z.string().catch(""));

function seed(sandbox: Sandbox): void {
  const account = (last: string, username: string, name: string, tasks: readonly string[] = TASKS) =>
    insertAccount(sandbox, {
      id: `178414000000000${last}`,
      username,
      name,
      page_id: `1050000000000${last}`,
      page_name: name,
      tasks,
    });
  account("01", "fernandoak", "Fern & Oak");
  account("02", "harbourcoffee", "Harbour Coffee");
  account("03", "northsidebikes", "Northside Bikes");
  account("04", "readonlygazette", "Read Only Gazette", ["ANALYZE"]);
}

const toAccount = ({ id, name, username, page_name }: AccountRow): Account => ({
  platform: "instagram",
  id,
  name,
  username,
  detail: `Business account, linked to the Page ${page_name}`,
});

/** The same name always maps to the same person. Larger than a JavaScript number can represent exactly. */
const personId = (name: string): string => String(9_100_000_000_000_000n + BigInt(numberOf(name)));

function toLivePost(sandbox: Sandbox, media: MediaRow): LivePost {
  const children = childrenOf(sandbox, media.id);
  const files = children.length > 0 ? children : [media];
  return {
    platform: "instagram",
    account_id: media.account_id,
    id: media.id,
    text: media.caption ?? "",
    media: files.flatMap(({ url }) => url ?? []),
    alt_texts: files.map(({ alt_text }) => alt_text),
    labels: strings(media.labels),
    permalink: permalink(sandbox, media),
    reply_to: null,
    created_at: sandbox.iso(media.live_at),
  };
}

const toLiveComment = (sandbox: Sandbox, row: CommentRow): LiveComment => ({
  platform: "instagram",
  account_id: row.account_id,
  id: row.id,
  post_id: row.media_id,
  reply_to: row.parent_id,
  author: row.author_name,
  author_id: row.author_id,
  text: row.text,
  hidden: row.is_hidden === 1,
  created_at: sandbox.iso(row.created_at),
});
