// Records as stored: posts of accounts, and replies of other people.

import type { Sandbox } from "../sandbox";
import { addressOf, findAccount, findRecord, type PostRecord, type RecordRow } from "./store";

export interface NewRecord {
  readonly did: string;
  readonly host: string;
  readonly rkey: string;
  readonly cid: string;
  readonly post: PostRecord;
  readonly at?: number;
}

export function insertRecord(sandbox: Sandbox, { did, host, rkey, cid, post, at }: NewRecord): RecordRow {
  const parent = post.reply ? findRecord(sandbox, post.reply.parent.uri) : null;
  const isOwnThread = !post.reply || (parent?.did === did && parent.is_comment === 0);
  return sandbox.db.insert<RecordRow>("bluesky_records", {
    id: addressOf(did, rkey),
    server: host,
    did,
    cid,
    record: JSON.stringify(post),
    parent: post.reply?.parent.uri ?? null,
    root: post.reply?.root.uri ?? null,
    is_comment: findAccount(sandbox, did)?.is_account && isOwnThread ? 0 : 1,
    created_at: at ?? sandbox.now(),
  });
}
