import type { NewPost } from "./api.ts";
import { type Finding, isEnded } from "./driver.ts";
import { waitFor } from "./http.ts";
import type { Network, Stored } from "./real-network.ts";

/** What the parts of `npm run real` share: creating posts, waiting for them, and findings. */

/** A delivery that is killed keeps its job until its lease ends; with many kills that happens twice. */
export const PATIENCE_MS = 300_000;
const ASK_EVERY_MS = 400;

export interface RealRun {
  readonly network: Network;
  readonly since: number;
  readonly findings: Finding[];
}

export function check(run: RealRun, text: string, holds: boolean, found: unknown): void {
  run.findings.push({ holds, text: holds ? text : `${text}; found ${JSON.stringify(found).slice(0, 600)}` });
}

type Body = Partial<NewPost>;

/** Creates a post and waits until it is published or failed. */
export async function publish({ network }: RealRun, channel: number, body: Body) {
  const id = await create(network, channel, body);
  return ended(network, id);
}

export function create({ api }: Network, channel: number, body: Body): Promise<number> {
  const fields = { channel_type: "bluesky", channel_id: channel, post_type: "post", publish_mode: "now" } as const;
  return api.createPost({ ...fields, ...(body.twitter_threads ? {} : { media_urls: [] }), ...body });
}

export async function ended({ api }: Network, id: number) {
  const read = async () => {
    const post = await api.findPost(id).catch(() => null);
    return post !== null && isEnded(post) && post;
  };
  const post = await waitFor(read, { timeoutMs: PATIENCE_MS, everyMs: ASK_EVERY_MS });
  return post ?? { post_id: id, STATUS: "not finished", permalink: null, error: null };
}

export const withText = (records: readonly Stored[], mark: string): Stored[] =>
  records.filter(({ value }) => value.text.includes(mark)).toReversed();

/** The JSON of a record, to look for a part of it. */
export const shown = (record: Stored | undefined): string => JSON.stringify(record?.value ?? null);
