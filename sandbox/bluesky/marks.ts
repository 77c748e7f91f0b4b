// Records of an account about posts: its likes, and the gates that list hidden replies.

import { z } from "zod";
import type { Sandbox } from "../sandbox";
import { invalid } from "./errors";
import { COLLECTION, keyOf } from "./store";

const LIKE = "app.bsky.feed.like";
const GATE = "app.bsky.feed.threadgate";
export const COLLECTIONS = [COLLECTION, LIKE, GATE] as const;
type MarkCollection = typeof LIKE | typeof GATE;

/** As in the lexicon of September 2024. */
const MAX_HIDDEN = 50;

const createdAt = z.iso.datetime({ offset: true });
const Like = z.looseObject({
  $type: z.literal(LIKE),
  subject: z.object({ uri: z.string().startsWith("at://"), cid: z.string().min(1) }),
  createdAt,
});
const Gate = z.looseObject({
  $type: z.literal(GATE),
  post: z.string().startsWith("at://"),
  allow: z
    .array(z.looseObject({ $type: z.string() }))
    .max(5)
    .optional(),
  hiddenReplies: z.array(z.string().startsWith("at://")).max(MAX_HIDDEN).optional(),
  createdAt,
});

export type MarkRow = {
  id: string;
  server: string;
  did: string;
  collection: MarkCollection;
  subject: string;
  cid: string;
  record: string;
  created_at: number;
};

export interface NewMark {
  readonly id: string;
  readonly server: string;
  readonly did: string;
  readonly collection: MarkCollection;
  readonly cid: string;
  readonly record: unknown;
}

/** Checks a record and writes it under its key. */
export function putMark(sandbox: Sandbox, { record, ...mark }: NewMark): void {
  const parsed = (mark.collection === LIKE ? Like : Gate).safeParse(record);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const at = ["$.record", ...(issue?.path ?? [])].join(".");
    throw invalid(`Invalid ${mark.collection} record: ${issue?.message ?? "invalid"} at ${at}`);
  }
  const { data } = parsed;
  const subject = data.$type === LIKE ? data.subject.uri : data.post;
  const row = { ...mark, subject, record: JSON.stringify(data), created_at: sandbox.now() };
  sandbox.db.replace("bluesky_marks", row);
}

export const findMark = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<MarkRow>("SELECT * FROM bluesky_marks WHERE id = ?", id);

export function deleteMark(sandbox: Sandbox, id: string): void {
  sandbox.db.run("DELETE FROM bluesky_marks WHERE id = ?", id);
}

/** Of several likes the index keeps the first. */
export const findLike = (sandbox: Sandbox, did: string, subject: string) =>
  sandbox.db.first<MarkRow>(
    "SELECT * FROM bluesky_marks WHERE subject = ? AND collection = ? AND did = ? ORDER BY created_at LIMIT 1",
    subject,
    LIKE,
    did,
  );

/** The gate of a post; one under another key, or of another account, is ignored. */
export function findGate(sandbox: Sandbox, post: { readonly id: string; readonly did: string }): MarkRow | null {
  const rows = sandbox.db.all<MarkRow>(
    "SELECT * FROM bluesky_marks WHERE subject = ? AND collection = ? AND did = ?",
    post.id,
    GATE,
    post.did,
  );
  return rows.find(({ id }) => keyOf(id) === keyOf(post.id)) ?? null;
}

export const hiddenBy = ({ record }: MarkRow): readonly string[] => Gate.parse(JSON.parse(record)).hiddenReplies ?? [];
