import { z } from "zod";
import type { AccountContext, Json } from "../../../src/platforms/context.ts";
import type { Send } from "../../../src/platforms/request.ts";
import { accountContext, image, video } from "../../scripted-send.ts";
import { type Exchange, fill, type Values } from "./exchange.ts";

/** What an adapter's method is called with, made of an exchange's `as` and `input`. */

const Media = z.looseObject({ kind: z.enum(["image", "video"]), name: z.string() });
const Content = z.looseObject({
  type: z.string(),
  items: z.array(z.strictObject({ text: z.string(), media: z.array(Media).default([]) })),
  extra: z.json().default(null),
  declared: z.record(z.string(), z.boolean()).default({}),
  options: z.record(z.string(), z.json()).default({}),
  cover: Media.nullable().default(null),
});
const Taken = z.looseObject({ taken: z.array(z.string()) });

/** The names of the arguments after the context, in order. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  exchange: ["grant"],
  check: ["redirectUri"],
  "posts.prepare": ["content", "progress"],
  "posts.stage": ["content", "progress", "item"],
  "posts.commit": ["content", "progress", "item"],
  "posts.confirm": ["content", "progress", "accepted"],
  "posts.find": ["content", "progress", "request"],
  "posts.remove": ["type", "post"],
  "posts.permalink.read": ["post"],
  "posts.postingOptions": [],
  "posts.afterwards.cover_url": ["content", "post"],
  "posts.afterwards.paid_partnership": ["content", "post", "progress"],
  "posts.afterwards.playlist_id": ["content", "post"],
  "comments.prepare": ["target", "text", "progress"],
  "comments.create": ["target", "text", "progress"],
  "comments.find": ["target", "request"],
  "comments.remove": ["id"],
  "comments.reading.list": ["posts", "request"],
  "comments.reading.several.list": ["wanted"],
  "messages.send": ["target", "text"],
  "messages.find": ["target", "request"],
  refresh: [],
  revoke: [],
  inspect: [],
};

/** Calls the method at the path of the adapter. */
export async function callAdapter(platform: object, exchange: Exchange, send: Send, values: Values): Promise<unknown> {
  const { call, input } = exchange;
  const names = ARGUMENTS[call] ?? ARGUMENTS[call.split(".").at(-1) ?? ""];
  const unknown = Object.keys(input).filter((key) => !names?.includes(key));
  if (!names || unknown.length > 0) throw new Error(`${call} has no argument ${unknown.join(", ")}.`);
  const filled = z.record(z.string(), z.unknown()).parse(fill(input, values));
  const path = call.split(".");
  const owner = path.slice(0, -1).reduce<unknown>(memberOf, platform);
  const method = memberOf(owner, path.at(-1) ?? "");
  if (typeof method !== "function") throw new Error(`The adapter has no ${call}.`);
  return Reflect.apply(method, owner, [
    contextOf(exchange, send, values),
    ...names.map((key) => argument(filled[key])),
  ]);
}

function memberOf(owner: unknown, key: string): unknown {
  return typeof owner === "object" && owner !== null ? Reflect.get(owner, key) : undefined;
}

/** The value as the adapter knows it: contents can be read, and taken ids are a set. */
function argument(value: unknown = null): unknown {
  const content = Content.safeParse(value).data;
  if (content) return contentOf(content);
  const taken = Taken.safeParse(value).data;
  return taken ? { ...taken, taken: new Set(taken.taken) } : value;
}

function contentOf({ items, cover, ...rest }: z.output<typeof Content>) {
  const media = ({ kind, name, ...more }: z.output<typeof Media>) => ({
    ...(kind === "image" ? image(name) : video(name)),
    ...more,
  });
  return {
    ...rest,
    cover: cover && media(cover),
    items: items.map((item) => ({ text: item.text, media: item.media.map(media) })),
    read: async (_file: unknown, start: number, end: number) => ({
      kind: "bytes",
      length: end - start,
      bytes: new Uint8Array(end - start),
    }),
  };
}

const As = z.looseObject({ expiresAt: z.number().nullable().default(null) });

function contextOf({ as }: Exchange, send: Send, values: Values): AccountContext {
  const text = (value: Json) => z.string().parse(fill(value, values));
  const { username = "{{username}}", refreshToken = "{{refresh_token}}", options } = as;
  const context = accountContext(send, {
    id: text(as.id ?? "{{account_id}}"),
    username: username === null ? null : text(username),
    attributes: z.record(z.string(), z.json()).parse(fill(as.attributes ?? {}, values)),
  });
  return {
    ...context,
    app: { id: text("{{app_id}}"), secret: text("{{app_secret}}"), ...(options === undefined ? {} : { options }) },
    credentials: {
      accessToken: text(as.accessToken ?? "{{access_token}}"),
      refreshToken: refreshToken === null ? null : text(refreshToken),
      expiresAt: As.parse(fill(as, values)).expiresAt,
      scopes: as.scopes ?? [],
      ...(as.binding === undefined ? {} : { binding: as.binding }),
      ...(as.accountId === undefined ? {} : { accountId: text(as.accountId) }),
    },
  };
}
