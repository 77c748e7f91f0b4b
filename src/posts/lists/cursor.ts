import { type AppError, invalid } from "../../core/errors.ts";
import { hmac } from "../../core/hmac.ts";
import type { ProjectId } from "../../core/ids.ts";
import { equalBytes } from "../../core/sealing.ts";
import { base64Url, fromBase64Url } from "../../core/tokens.ts";
import type { Order, Position } from "./list-query.ts";

/**
 * A cursor contains only the position where a list continues: each request carries its own filters. It is
 * signed for its project, so callers cannot forge one.
 */
const MAC_BYTES = 12;
const ORDERS: Readonly<Record<string, Order>> = { c: "created", p: "published" };

export async function writeCursor(signingKey: string, projectId: ProjectId, position: Position): Promise<string> {
  const place = `${position.order === "created" ? "c" : "p"}${position.at}.${position.id}`;
  const mac = await macOf(signingKey, projectId, place);
  return base64Url(new Uint8Array([...mac, ...new TextEncoder().encode(place)]));
}

/** Null for an empty cursor: from the start. Throws `invalid_request` for a cursor that we did not issue. */
export async function readCursor(signingKey: string, projectId: ProjectId, cursor: string): Promise<Position | null> {
  if (cursor === "") return null;
  const bytes = fromBase64Url(cursor);
  // Only the canonical encoding of the bytes is valid.
  if (!bytes || base64Url(bytes) !== cursor) throw notOurs();
  const place = new TextDecoder().decode(bytes.subarray(MAC_BYTES));
  if (!equalBytes(bytes.subarray(0, MAC_BYTES), await macOf(signingKey, projectId, place))) throw notOurs();
  const [, letter = "", at, id] = /^([a-z])(\d+)\.(\d+)$/.exec(place) ?? [];
  const order = ORDERS[letter];
  if (order === undefined) throw notOurs();
  return { order, at: Number(at), id: Number(id) };
}

async function macOf(signingKey: string, projectId: ProjectId, place: string): Promise<Uint8Array> {
  return (await hmac(signingKey, `posts-cursor:${projectId}:${place}`)).subarray(0, MAC_BYTES);
}

function notOurs(): AppError {
  return invalid({
    cursor: [
      "cursor must be a value that this list returned: pass `next_cursor` unchanged, or leave it empty to start.",
    ],
  });
}
