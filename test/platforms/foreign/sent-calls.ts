import { z } from "zod";
import { Sent } from "../../../scripts/support/foreign/sent.ts";
import { parseJson } from "../../../src/platforms/json.ts";
import { POST_TYPES, type PostType } from "../../../src/platforms/names.ts";
import { platforms } from "../../../src/platforms/registry.ts";
import type { CallRequest, Send } from "../../../src/platforms/request.ts";
import { accountContext, NOW } from "../../scripted-send.ts";
import { fill, type Request, recordedExchanges, type Values } from "../exchanges/exchange.ts";

/** Requests of adapters as the descriptions of others are compared with them. */

/** Every request of every recorded exchange. */
export function recordedCalls(): Sent[] {
  return recordedExchanges().flatMap(({ values, exchanges }) =>
    exchanges.flatMap(({ calls }) =>
      Object.values(calls).map(({ request }) => {
        const { method, url, query, form, json, multipart } = Recorded.parse(
          fill(request, { ...idsIn(request), ...values }),
        );
        return sentOf({ method, url, query, body: form ?? json ?? multipart ?? null });
      }),
    ),
  );
}

/** Numbers for the placeholders of ids and of parts of a path, which otherwise stand for their own names. */
function idsIn(request: Request): Values {
  const ids = [...JSON.stringify(request).matchAll(/\{\{(?:encode )?(\w*id)\}\}/g)];
  const parts = [...request.url.matchAll(/\/\{\{(?:encode )?(\w+)\}\}/g)];
  const names = [...ids, ...parts].map(([, name = ""]) => name);
  return Object.fromEntries(names.map((name) => [name, "180100000000001"]));
}

const Scalar = z.union([z.string(), z.number(), z.boolean()]);
const Recorded = z.looseObject({
  method: z.string(),
  url: z.string(),
  query: z.record(z.string(), Scalar),
  form: z.record(z.string(), z.string()).optional(),
  json: z.json().optional(),
  multipart: z.record(z.string(), z.json()).optional(),
});

interface Call {
  readonly method: string;
  readonly url: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body: unknown;
  readonly about?: string;
}

export function sentOf({ method, url, query = {}, body, about }: Call): Sent {
  const address = new URL(url);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) address.searchParams.append(name, String(value));
  const { host, pathname } = address;
  const sent = { method, host, path: pathname, query: [...address.searchParams], body, ...(about ? { about } : {}) };
  return Sent.parse(sent);
}

/** What lets every reading go on to its last call: nothing was counted. */
const EMPTY = {
  data: [],
  items: [],
  columnHeaders: [],
  rows: [],
  posts: [],
  elements: [],
  error: { code: "ok" },
};

/** Every request that reads the numbers of a post of each type, and of an account, on every platform. */
export async function insightCalls(): Promise<Sent[]> {
  const calls: Sent[] = [];
  for (const [name, platform] of Object.entries(platforms)) {
    if (!("insights" in platform)) continue;
    const { insights } = platform;
    const gather =
      (about: string | undefined, product: string): Send =>
      async (request) => {
        calls.push(sentRequest(request, about));
        const body = { ...EMPTY, media_product_type: product };
        return { kind: "answered", status: 200, headers: new Headers(), text: JSON.stringify(body), body };
      };
    for (const { id, attributes, scopes } of ACCOUNTS[name] ?? [PLAIN]) {
      const contextOf = (send: Send) => {
        const context = accountContext(send, { id, attributes });
        return { ...context, credentials: { ...context.credentials, scopes } };
      };
      for (const kind of KINDS) {
        const type: PostType = kind === "video" ? "post" : kind;
        const send = gather(kind === "tweet" || kind === "thread" ? "post" : kind, PRODUCTS[type] ?? "FEED");
        const secondaryId = kind === "video" || kind === "reel" ? "1802" : null;
        const post = { id: POSTS[name] ?? "1801", secondaryId, permalink: null };
        await insights.read(contextOf(send), [{ type, post, publishedAt: NOW - 86_400_000 }], new Set());
      }
      const range = { since: NOW - 2 * 86_400_000, until: NOW };
      for await (const _ of insights.readAccount?.(contextOf(gather("account", "")), range, new Set()) ?? []);
    }
  }
  return calls;
}

/** What a post can be, for its numbers: Facebook gives those of a video other names than those of a text. */
const KINDS = [...POST_TYPES, "video"] as const;
const PRODUCTS: Readonly<Record<string, string>> = { reel: "REELS", story: "STORY" };
interface Account {
  readonly id: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly scopes: string[];
}
const PLAIN: Account = { id: "104", attributes: {}, scopes: [] };
const ACCOUNTS: Readonly<Record<string, readonly Account[]>> = {
  facebook: [{ ...PLAIN, scopes: ["pages_read_user_content"] }],
  instagram: [PLAIN, { ...PLAIN, attributes: { login: "instagram" } }],
  linkedin: [
    { ...PLAIN, id: "urn:li:organization:104" },
    { ...PLAIN, id: "urn:li:person:104" },
  ],
  bluesky: [{ ...PLAIN, id: "did:plc:z72i7hdynmk6r22z27h6tvur" }],
};
const POSTS: Readonly<Record<string, string>> = {
  bluesky: "at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.post/3l6oveex3ii2l",
  linkedin: "urn:li:share:7301",
};

function sentRequest({ method, url, query, form, json, bytes }: CallRequest, about: string | undefined): Sent {
  const text = bytes && bytes[0] === 0x7b ? parseJson(new TextDecoder().decode(bytes)) : null;
  return sentOf({ method, url, query: query ?? {}, body: form ?? json ?? text, ...(about ? { about } : {}) });
}
