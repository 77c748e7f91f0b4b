import type { Json } from "../../../src/platforms/context.ts";
import type { Commit, Content } from "../../../src/platforms/publishing.ts";
import { threads } from "../../../src/platforms/threads/index.ts";
import { accountContext, content, image, NOW, type Scripted, scriptedSend, video } from "../../scripted-send.ts";

/** A post on its way at Threads, whose answers are scripted: what is stored of it, and its steps. */

const { posts } = threads;
const SCOPES = ["threads_basic", "threads_content_publish", "threads_delete", "threads_manage_replies"];
export const FIRST: Commit = { index: 0, previous: [] };
export const later = (id: string): Commit => ({ index: 1, previous: [{ id, secondaryId: null, permalink: null }] });

export interface Container {
  readonly id: string | null;
  readonly madeAt: number;
  readonly readyAt: number | null;
  readonly lostAt: number | null;
  readonly isPublished: boolean;
  readonly attempts: number;
}
export const NONE: Container = { id: null, madeAt: 0, readyAt: null, lostAt: null, isPublished: false, attempts: 0 };
export const made = (id: string, more: Partial<Container> = {}) => ({
  ...NONE,
  id,
  madeAt: NOW - 3000,
  attempts: 1,
  ...more,
});
export const ready = (id: string, more: Partial<Container> = {}) => made(id, { readyAt: NOW - 1000, ...more });
export const progress = (
  ...items: readonly { readonly files?: readonly Container[]; readonly own?: Container }[]
): Json => ({
  items: items.map(({ files = [], own = NONE }) => ({ files: files.map((one) => ({ ...one })), own: { ...own } })),
});

export const created = (id: string): Scripted => ({ body: { id } });
export const state = (status: string, error_message?: string): Scripted => ({
  body: { id: "1784", status, error_message },
});
export const refused = (code: number | string, error_subcode?: number, more: object = {}): Scripted => {
  return { status: 400, body: { error: { code, error_subcode, message: "No", type: "OAuthException", ...more } } };
};
export const LOST = refused(24, 4_279_009);
export const ROOM: Scripted = {
  body: { data: [{ quota_usage: 4, config: { quota_total: 250, quota_duration: 86_400 } }] },
};

export const contextOn = (...answers: readonly (Scripted | "lost")[]) => {
  const { send, calls } = scriptedSend(...answers);
  const context = accountContext(send);
  return { context: { ...context, credentials: { ...context.credentials, scopes: SCOPES } }, calls };
};
export const prepare = async (what: Content, stored: Json | null, ...answers: readonly (Scripted | "lost")[]) => {
  const { context, calls } = contextOn(...answers);
  return { outcome: await posts.prepare(context, what, stored), calls };
};
export const stage = async (what: Content, stored: Json, item: Commit, ...answers: readonly (Scripted | "lost")[]) => {
  const { context, calls } = contextOn(...answers);
  return { outcome: await posts.stage?.(context, what, stored, item), calls };
};
export const commit = async (what: Content, stored: Json, item: Commit, ...answers: readonly (Scripted | "lost")[]) => {
  const { context, calls } = contextOn(...answers);
  return { outcome: await posts.commit(context, what, stored, item), calls };
};

export const TEXT = content("post", ["Hello"]);
export const PICTURE = content("post", ["Hello", { ...image("a.jpg"), altText: "A square" }]);
export const ALBUM = content("post", ["Hello", image("a.jpg"), video("b.mp4")]);
export const CHAIN = content("thread", ["One"], ["Two", video("b.mp4")]);
