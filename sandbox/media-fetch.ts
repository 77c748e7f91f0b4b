// Fetches media from the URLs that callers pass to a platform, with real requests and a time limit.

import { bytesSource, type MediaFacts, probe } from "./media-probe";
import { serveSample } from "./media-samples";
import type { Sandbox } from "./sandbox";
import { sourceTypeOf } from "./source-type";

const TIME_LIMIT_MS = 15_000;
/** Larger files are counted but not kept: an object has 128 MB of memory. */
const HELD_BYTES = 48_000_000;
/** Files up to this size can be read later, as the platform received them. */
const KEPT_BYTES = 8_000_000;

export type Fetched =
  /** The first bytes of the file, up to the limit. */
  { ok: true; facts: MediaFacts; bytes: Uint8Array } | { ok: false; status: number | null; reason: string };

/**
 * Reads the whole file, as a platform does. Sandbox samples are read directly: a Worker must not call itself.
 */
export async function fetchMedia(
  sandbox: Sandbox,
  url: string,
  ownOrigin: string,
  { followsRedirects }: { followsRedirects: boolean } = { followsRedirects: true },
): Promise<Fetched> {
  const address = URL.parse(url);
  if (!address || !/^https?:$/.test(address.protocol)) {
    return { ok: false, status: null, reason: "not an absolute http(s) address" };
  }
  try {
    const request = new Request(address, {
      headers: { "user-agent": "facebookexternalhit/1.1 (simulated)" },
      redirect: followsRedirects ? "follow" : "manual",
    });
    const isSample = address.origin === ownOrigin && address.pathname.startsWith("/_media/");
    const answer = isSample
      ? serveSample(request)
      : await fetch(request, { signal: AbortSignal.timeout(TIME_LIMIT_MS) });
    if (!answer.ok) {
      await answer.body?.cancel();
      return { ok: false, status: answer.status, reason: `the address answered ${answer.status}` };
    }
    const fetched = await factsOf(answer);
    keep(sandbox, url, fetched, isSample);
    return { ok: true, ...fetched };
  } catch (error) {
    return { ok: false, status: null, reason: error instanceof Error ? error.message : "the address did not answer" };
  }
}

function keep(
  sandbox: Sandbox,
  url: string,
  { facts, bytes }: Pick<Fetched & { ok: true }, "facts" | "bytes">,
  isSample: boolean,
) {
  if (isSample) return;
  const former = sandbox.db.first<{ blob_id: string | null }>("SELECT blob_id FROM fetched_media WHERE url = ?", url);
  if (former?.blob_id) sandbox.blobs.remove(former.blob_id);
  const blobId = facts.size <= KEPT_BYTES ? sandbox.blobs.create(facts.type) : null;
  if (blobId !== null) sandbox.blobs.append(blobId, bytes);
  sandbox.db.replace("fetched_media", { url, source_type: sourceTypeOf(bytesSource(bytes)), blob_id: blobId });
}

async function factsOf(answer: Response): Promise<{ facts: MediaFacts; bytes: Uint8Array }> {
  const held: Uint8Array[] = [];
  let size = 0;
  let heldSize = 0;
  if (answer.body) {
    for await (const chunk of answer.body) {
      size += chunk.byteLength;
      if (heldSize + chunk.byteLength > HELD_BYTES) continue;
      held.push(chunk);
      heldSize += chunk.byteLength;
    }
  }
  const bytes = new Uint8Array(heldSize);
  let at = 0;
  for (const chunk of held) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return { facts: { ...probe(bytesSource(bytes)), size }, bytes };
}

/**
 * True if the page behind a link returns an error. An unreachable host is not reported as broken: there may
 * be no network.
 */
export async function isBrokenLink(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(3000) });
    await answer.body?.cancel();
    return answer.status >= 400;
  } catch {
    return false;
  }
}
