import { randomUUID } from "node:crypto";
import { callJson, waitFor } from "./http.ts";
import type { Account, Stored } from "./real-network.ts";
import { check, create, ended, PATIENCE_MS, publish, type RealRun, shown, withText } from "./real-run.ts";

/** What is published beside the network's own servers, in good times and in bad ones. */

export async function publishKinds(run: RealRun, ada: Account, channel: number): Promise<void> {
  const { network } = run;
  const find = async (mark: string) => withText(await network.records(ada), mark);

  const text = await publish(run, channel, {
    caption_text: "🔔 Bells: https://example.com/bells. #belfry",
    options: { languages: ["en"] },
  });
  const [plain] = await find("Bells: https");
  const facets = shown(plain);
  check(run, "a text is published", text.STATUS === "published" && plain !== undefined, text);
  // The bell takes four bytes: 5 for it and the space, then "Bells: ".
  check(
    run,
    "a link is marked by its bytes",
    /"byteEnd":37,"byteStart":12|"byteStart":12,"byteEnd":37/.test(facets),
    plain?.value,
  );
  check(
    run,
    "a hashtag and a language are sent",
    /"tag":"belfry"/.test(facets) && /"langs":\["en"\]/.test(facets),
    plain?.value,
  );
  check(run, "its permalink names the account", text.permalink === permalinkOf(plain), text.permalink);

  const files = ["square.jpg", "landscape.jpg", "square.png", "photo.webp"];
  const pictures = await publish(run, channel, {
    caption_text: "Four pictures",
    media_urls: files.map(network.media),
    alt_texts: ["one", "two", "three", "four"],
  });
  const [album] = await find("Four pictures");
  const isAlbum = shown(album).match(/"aspectRatio"/g)?.length === 4 && shown(album).includes('"alt":"four"');
  check(
    run,
    "four pictures are published with their alt texts and sizes",
    pictures.STATUS === "published" && isAlbum,
    pictures,
  );

  const film = await publish(run, channel, { caption_text: "A film", media_urls: [network.media("clip.mp4")] });
  const [video] = await find("A film");
  check(
    run,
    "a video is published",
    film.STATUS === "published" && shown(video).includes("app.bsky.embed.video"),
    film,
  );

  await publish(run, channel, { caption_text: `Read this: ${network.page}` });
  const [card] = await find("Read this");
  const isCard = shown(card).includes('"title":"Bells & whistles"') && shown(card).includes('"thumb"');
  check(run, "a link has a card with a picture", isCard, card?.value);

  const thread = await publish(run, channel, {
    post_type: "thread",
    twitter_threads: [
      { message: "Thread one", media_urls: [network.media("square.png")] },
      { message: "Thread two" },
      { message: "Thread three", media_urls: [network.media("landscape.jpg")] },
    ],
  });
  const items = await find("Thread ");
  const replies = items.map(({ value }) => JSON.stringify(value.reply ?? null));
  const isChain = items.length === 3 && items.every(({ uri }, at) => at === 2 || replies[at + 1]?.includes(uri));
  check(run, "a thread is published in order", thread.STATUS === "published" && isChain, replies);
}

const permalinkOf = (record: Stored | undefined): string | undefined => {
  const [did, , key] = record?.uri.replace("at://", "").split("/") ?? [];
  return record && `https://bsky.app/profile/${did}/post/${key}`;
};

/** By the calls that are spoiled, one after the other. */
const TROUBLE: Readonly<Record<string, readonly (readonly [path: string, kind: string])[]>> = {
  "an answer that is lost": [["putRecord", "lost_after"]],
  "a call that never arrives": [["putRecord", "lost_before"]],
  "a server that is down": [
    ["putRecord", "lost_before"],
    ["getRecord", "lost_before"],
  ],
  "a gateway that reports an error for what was done": [["putRecord", "error_after"]],
  "a gateway that answers garbage": [["putRecord", "garbage"]],
  "a server that answers garbage with success": [["putRecord", "nonsense"]],
  "a slow server": [["putRecord", "slow"]],
  "a look-up that is answered by garbage": [
    ["putRecord", "lost_after"],
    ["getRecord", "garbage"],
  ],
};

interface Troubled {
  readonly title: string;
  readonly mark: string;
  readonly id: number;
}

/** All at once: each fault waits for the calls of its own post. */
export async function createInTrouble(run: RealRun, channel: number): Promise<readonly Troubled[]> {
  const { network } = run;
  const begin = async (title: string, media: readonly string[] = []): Promise<Troubled> => {
    const mark = randomUUID();
    for (const [path, kind] of TROUBLE[title] ?? []) await network.fault(path, kind, mark);
    const body = { caption_text: `Trouble ${mark}`, media_urls: media.map(network.media) };
    return { title, mark, id: await create(network, channel, body) };
  };
  const texts = await Promise.all(Object.keys(TROUBLE).map((title) => begin(title)));
  await network.fault("uploadBlob", "lost_after");
  return [...texts, await begin("an upload whose answer is lost", ["square.jpg"])];
}

export async function outliveTrouble(run: RealRun, ada: Account, posts: readonly Troubled[]): Promise<void> {
  const { network } = run;
  const outcomes = await Promise.all(posts.map(({ id }) => ended(network, id)));
  const records = await network.records(ada);
  for (const [at, { title, mark }] of posts.entries()) {
    const [post, live] = [outcomes[at], withText(records, mark).length];
    check(run, `${title}: live once`, post?.STATUS === "published" && live === 1, { post, live });
  }
}

/** Apart from the kills: one during the renewal loses it, and then the account is connected again. */
export async function outliveExpiry(run: RealRun, ada: Account, channel: number): Promise<void> {
  const { network } = run;
  const mark = randomUUID();
  await network.fault("putRecord", "expired", mark);
  const post = await publish(run, channel, { caption_text: `Expired ${mark}` });
  const live = withText(await network.records(ada), mark).length;
  check(run, "a token that expires: live once", post.STATUS === "published" && live === 1, { post, live });
}

/** The server's nonces are replaced by one of long ago: it refuses the next calls, and they are repeated. */
export async function outliveNonces(run: RealRun, ada: Account, channel: number): Promise<void> {
  const { network } = run;
  const before = (await network.faults()).nonceRefusals;
  await network.fault("/xrpc/", "old_nonce", undefined, 3);
  const mark = randomUUID();
  const body = { caption_text: `Nonces ${mark}`, media_urls: [network.media("square.png")] };
  const post = await publish(run, channel, body);
  const live = withText(await network.records(ada), mark);
  const refusals = (await network.faults()).nonceRefusals - before;
  const isOnce = post.STATUS === "published" && live.length === 1;
  check(run, "nonces that the server has replaced: live once", isOnce && refusals > 0, { post, refusals });
}

export async function answerComment(run: RealRun, ada: Account, channel: number): Promise<void> {
  const { network } = run;
  const ben = await network.createAccount("a", "ben");
  const mark = randomUUID();
  const post = await publish(run, channel, { caption_text: `Ask me ${mark}`, first_comment: `Anything ${mark}` });
  const isCommented = async () => withText(await network.records(ada), `Anything ${mark}`)[0];
  const first = await waitFor(async () => (await isCommented()) ?? null, { timeoutMs: PATIENCE_MS });
  const [asked] = withText(await network.records(ada), `Ask me ${mark}`);
  check(
    run,
    "a first comment stands under its post",
    first !== null && asked !== undefined && shown(first ?? undefined).includes(asked.uri),
    post,
  );
  if (!asked) return;
  const bot = await network.api.createAutomation({
    name: "Hours",
    channels: [channel],
    trigger_type: "keywords",
    keywords: ["open"],
    comment_reply: "From nine to five.",
    response_type: "comment",
    ai_enable: "no",
  });
  await network.reply(ben, asked, "When are you open?");
  const answered = async () => withText(await network.records(ada), "From nine to five")[0] ?? null;
  const answer = await waitFor(answered, { timeoutMs: PATIENCE_MS, everyMs: 1_000 });
  const isUnder = answer !== null && shown(answer).includes(asked.uri);
  check(run, "a bot answers a reply", isUnder, { answer, log: await network.api.listReplies(bot.id) });
}

export async function deletePost(run: RealRun, ada: Account, channel: number): Promise<void> {
  const { network } = run;
  const mark = randomUUID();
  const post = await publish(run, channel, { caption_text: `Delete ${mark}` });
  await network.fault("deleteRecord", "lost_after");
  const url = `${network.origin}/api/v1/social/delete-post/${post.post_id}`;
  const { status } = await callJson("DELETE", url, { headers: { authorization: `Bearer ${network.token}` } });
  const isGone = async () => withText(await network.records(ada), mark).length === 0;
  const gone = await waitFor(isGone, { timeoutMs: PATIENCE_MS });
  check(run, "a deleted post is gone, although the answer is lost", status === 200 && gone === true, status);
}
