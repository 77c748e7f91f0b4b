import type { AccountContext, AccountRef, Json, PageSize, PageSizes } from "../src/platforms/context.ts";
import type { Content } from "../src/platforms/publishing.ts";
import type { CallRequest, Send } from "../src/platforms/request.ts";
import type { Media } from "../src/platforms/rules.ts";

export interface Scripted {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers each call in turn as scripted ("lost" for no answer), and keeps what was sent. */
export function scriptedSend(...answers: readonly (Scripted | "lost")[]) {
  const calls: CallRequest[] = [];
  const send: Send = async (request) => {
    const answer = answers[calls.length];
    calls.push(request);
    if (answer === undefined) throw new Error(`An unscripted call: ${request.method} ${request.url}`);
    if (answer === "lost") return { kind: "lost", message: "example.com could not be reached." };
    const { status = 200, body = null, headers } = answer;
    return { kind: "answered", status, headers: new Headers(headers), text: JSON.stringify(body), body };
  };
  return { send, calls };
}

export const NOW = Date.parse("2026-11-20T12:00:00.000Z");

export function accountContext(send: Send, account: Partial<AccountRef> = {}): AccountContext {
  return {
    send,
    app: { id: "app", secret: "app secret" },
    now: NOW,
    account: { id: "104", username: "acme", attributes: {}, ...account },
    credentials: { accessToken: "TOKEN", refreshToken: "REFRESH", expiresAt: null, scopes: [] },
    pageSizes: pageSizesIn(new Map()),
  };
}

/** Page sizes that are kept in the map. */
export function pageSizesIn(known: Map<string, PageSize>): PageSizes {
  return {
    get: (list) => known.get(list) ?? null,
    keep: async (list, size) => void known.set(list, size),
  };
}

export function image(name: string): Media {
  const url = `https://files.example.com/${name}`;
  const file = { url, mime: "image/jpeg", bytes: 3, width: 10, height: 10, durationSeconds: null };
  return { ...file, kind: "image", publicUrl: url, altText: null };
}

export function video(name: string, bytes = 3): Media {
  return { ...image(name), kind: "video", mime: "video/mp4", bytes, durationSeconds: 10 };
}

export function content(
  type: Content["type"],
  ...items: readonly (readonly [text: string, ...media: Media[]])[]
): Content {
  return {
    type,
    items: items.map(([text, ...media]) => ({ text, media })),
    extra: null,
    declared: {},
    options: {},
    cover: null,
    read: async (_media, start, end) => ({ kind: "bytes", length: end - start, bytes: new Uint8Array(end - start) }),
  };
}

export const NO_PROGRESS: Json = null;
