import type { Bearer } from "../../test/fuzz/cases.ts";
import type { World as FuzzWorld } from "../../test/fuzz/values.ts";
import { HANDLES, PAGES } from "../../test/support/person.ts";
import { createApi } from "./api.ts";
import { connectAccounts, type World } from "./world.ts";

/** The data of a fuzzed service before the requests, and the tokens of the requests. */
export interface Prepared {
  readonly world: FuzzWorld;
  /** The `Authorization` header of a request, if any. */
  readonly authorization: (bearer: Bearer, number: number) => string | null;
}

/** Requests rotate over these tokens, so that none reaches the limit of a hundred per second. */
const OWN_TOKENS = 12;
const POSTS = 30;

/** Deterministic, so that a seed and a number identify one request. */
export async function prepareFuzz(booted: World): Promise<Prepared> {
  const { operator, service, control } = booted;
  const own = await Promise.all(Array.from({ length: OWN_TOKENS }, () => operator.issueToken({ project: "Fuzz" })));
  const [first] = own;
  if (!first) throw new Error("No token was issued.");
  const api = createApi(service.origin, first.token);
  await connectAccounts(api, { platforms: ["facebook"], accounts: [PAGES.fern] });
  await connectAccounts(api, { platforms: ["twitter"], accounts: [HANDLES.bikes] });
  await connectAccounts(api, { platforms: ["twitter"], accounts: [HANDLES.fern] });
  const channels = (await api.listChannels()).toSorted((a, b) => a.channel_id - b.channel_id);
  const [facebook = 0, twitter = 0, spareChannel = 0] = channels.map(({ channel_id: id }) => id);
  let posts = 0;
  for (let count = 0; count < POSTS; count++) posts = await api.createPost(aPost(twitter, count));

  const stranger = await operator.issueToken({ project: "Stranger" });
  const theirs = createApi(service.origin, stranger.token);
  await connectAccounts(theirs, { platforms: ["twitter"], accounts: [HANDLES.harbour] });
  const [channel = 0] = (await theirs.listChannels()).map(({ channel_id: id }) => id);
  const strangers = { channel, post: await theirs.createPost(aPost(channel, 0)) };
  const { connect_token: connectToken } = await api.connectChannel({ userId: "fuzz" });
  const media = [control.media("square.jpg"), control.media("landscape.jpg")] as const;

  const revoked = await operator.issueToken({ project: "Fuzz" });
  await operator.revokeToken(revoked.id);
  const tokens = {
    stranger: stranger.token,
    revoked: revoked.token,
    expired: (await operator.issueToken({ project: "Fuzz", expires_at: "2020-01-01T00:00:00Z" })).token,
    limited: (await operator.issueToken({ project: "Fuzz", permissions: ["social-read-posts"] })).token,
  };
  return {
    world: { channels: { facebook, twitter }, spareChannel, strangers, posts, connectToken, media },
    authorization: (bearer, number) => {
      if (typeof bearer !== "string") return bearer.raw;
      return `Bearer ${bearer === "own" ? (own[number % own.length] ?? first).token : tokens[bearer]}`;
    },
  };
}

function aPost(channel: number, count: number) {
  return {
    channel_type: "twitter",
    channel_id: channel,
    post_type: "tweet",
    publish_mode: "scheduled",
    caption_text: `Fuzz ${count}`,
    media_urls: [],
    schedule_time: "2030-03-05 10:00",
    time_zone: "Europe/Berlin",
  } as const;
}
