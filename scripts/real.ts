import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { NewPost } from "./support/api.ts";
import { runCommand, type Scope } from "./support/command.ts";
import { countBroken, type Finding, isEnded, sayFindings } from "./support/driver.ts";
import { callJson, waitFor } from "./support/http.ts";
import { type Account, bootNetwork, installServers, type Network, type Stored } from "./support/real-network.ts";
import { bold, dim, elapsed, green, red, say } from "./support/terminal.ts";

const USAGE = `npm run real: installs the servers of Bluesky's network into scripts/real, starts a directory and two servers on this
machine, signs in through their real pages in Chromium, and publishes, comments, moves and deletes there. The official client
reads everything back. Runs a service of its own. CHROMIUM names another program than the one in the path.

  -- --posts 50 --kills 10      how many posts are published while the service is killed so often`;

const PATIENCE_MS = 150_000;
const ASK_EVERY_MS = 400;

interface Run {
  readonly network: Network;
  readonly since: number;
  readonly findings: Finding[];
}

async function real(scope: Scope): Promise<number> {
  const since = Date.now();
  await installServers();
  say(`${bold("Belfry")} beside the network's own servers`);
  const run: Run = { network: await bootNetwork(scope), since, findings: [] };
  note(run, "booted: a directory of accounts, two servers, the service");
  const { network } = run;
  const ada = await network.createAccount("a", "ada");
  const channel = await network.connect(ada);
  note(run, `${ada.handle} signed in through the real pages`);

  await part(run, "what is published", () => publishKinds(run, ada, channel));
  await part(run, "trouble on the way", () => publishInTrouble(run, ada, channel));
  await part(run, "comments and a bot", () => answerComment(run, ada, channel));
  await part(run, "deletion", () => deletePost(run, ada, channel));
  await part(run, "an account that is deleted", () => loseAccount(run));
  await part(run, "an account that moves", () => moveAccount(run));
  await part(run, "kills", () => killWhilePublishing(run, ada, channel));

  sayFindings(run.findings);
  const broken = countBroken(run.findings);
  say(`\n${broken === 0 ? green("All checks passed") : red(`${broken} checks failed`)}, ${elapsed(since).trim()}.`);
  return broken === 0 ? 0 : 1;
}

const note = ({ since }: Pick<Run, "since">, text: string): void => say(dim(`${elapsed(since)}  ${text}`));

/** A part that breaks off is a finding, and the others still run. */
async function part(run: Run, title: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    run.findings.push({ holds: false, text: `${title}: ${error instanceof Error ? error.message : String(error)}` });
  }
  note(run, title);
}

function check(run: Run, text: string, holds: boolean, found: unknown): void {
  run.findings.push({ holds, text: holds ? text : `${text}; found ${JSON.stringify(found).slice(0, 600)}` });
}

type Body = Partial<NewPost>;

/** Creates a post and waits until it is published or failed. */
async function publish({ network }: Run, channel: number, body: Body) {
  const id = await create(network, channel, body);
  return ended(network, id);
}

function create({ api }: Network, channel: number, body: Body): Promise<number> {
  const fields = { channel_type: "bluesky", channel_id: channel, post_type: "post", publish_mode: "now" } as const;
  return api.createPost({ ...fields, ...(body.twitter_threads ? {} : { media_urls: [] }), ...body });
}

async function ended({ api }: Network, id: number) {
  const read = async () => {
    const post = await api.findPost(id).catch(() => null);
    return post !== null && isEnded(post) && post;
  };
  const post = await waitFor(read, { timeoutMs: PATIENCE_MS, everyMs: ASK_EVERY_MS });
  return post ?? { post_id: id, STATUS: "not finished", permalink: null, error: null };
}

const withText = (records: readonly Stored[], mark: string): Stored[] =>
  records.filter(({ value }) => value.text.includes(mark)).toReversed();

/** The JSON of a record, to look for a part of it. */
const shown = (record: Stored | undefined): string => JSON.stringify(record?.value ?? null);

// --- what is published --------------------------------------------------------------------------------------

async function publishKinds(run: Run, ada: Account, channel: number): Promise<void> {
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

// --- trouble ------------------------------------------------------------------------------------------------

const TROUBLE = [
  ["putRecord", "lost_after", "an answer that is lost"],
  ["putRecord", "lost_before", "a call that never arrives"],
  ["putRecord", "error_after", "a gateway that reports an error for what was done"],
  ["putRecord", "garbage", "a gateway that answers garbage"],
  ["putRecord", "slow", "a slow server"],
  ["putRecord", "expired", "a token that expires"],
  ["getRecord", "garbage", "a look-up that is answered by garbage"],
] as const;

async function publishInTrouble(run: Run, ada: Account, channel: number): Promise<void> {
  for (const [path, kind, title] of TROUBLE) {
    const mark = randomUUID();
    if (path === "getRecord") await run.network.fault("putRecord", "lost_after");
    await run.network.fault(path, kind);
    const post = await publish(run, channel, { caption_text: `Trouble ${mark}` });
    const live = withText(await run.network.records(ada), mark);
    check(run, `${title}: live once`, post.STATUS === "published" && live.length === 1, { post, live: live.length });
  }
  const mark = randomUUID();
  await run.network.fault("uploadBlob", "lost_after");
  const post = await publish(run, channel, {
    caption_text: `File ${mark}`,
    media_urls: [run.network.media("square.jpg")],
  });
  const live = withText(await run.network.records(ada), mark);
  check(run, "an upload whose answer is lost: live once", post.STATUS === "published" && live.length === 1, post);
  check(run, "every fault met a call", (await run.network.waitingFaults()) === 0, await run.network.waitingFaults());
}

// --- comments -----------------------------------------------------------------------------------------------

async function answerComment(run: Run, ada: Account, channel: number): Promise<void> {
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

// --- deletion -----------------------------------------------------------------------------------------------

async function deletePost(run: Run, ada: Account, channel: number): Promise<void> {
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

async function loseAccount(run: Run): Promise<void> {
  const { network } = run;
  const cleo = await network.createAccount("a", "cleo");
  const channel = await network.connect(cleo);
  await network.deleteAccount(cleo);
  const post = await publish(run, channel, { caption_text: "Nobody is here" });
  check(
    run,
    "a post of a deleted account fails and says what to do",
    post.STATUS === "failed" && /again|reconnect/i.test(post.error ?? ""),
    post,
  );
}

async function moveAccount(run: Run): Promise<void> {
  const { network } = run;
  const dora = await network.createAccount("a", "dora");
  const channel = await network.connect(dora);
  const before = await publish(run, channel, { caption_text: "Before the move" });
  // The worst case: the old server still answers, into a copy that no reader sees.
  const { handle } = await network.move(dora, true);
  await network.restart();
  const lost = await publish(run, channel, { caption_text: "Into the void" });
  const atOld = withText(await network.records(dora, "a"), "Into the void");
  const isStopped = lost.STATUS === "failed" && /moved/.test(lost.error ?? "");
  check(
    run,
    "after a move nothing is sent to the old server",
    before.STATUS === "published" && isStopped && atOld.length === 0,
    lost,
  );
  await network.connect({ ...dora, handle }, "b");
  const after = await publish(run, channel, { caption_text: "After the move" });
  const atNew = withText(await network.records(dora, "b"), "After the move");
  check(
    run,
    "after another sign-in the same channel publishes on the new server",
    after.STATUS === "published" && atNew.length === 1,
    after,
  );
}

// --- kills --------------------------------------------------------------------------------------------------

async function killWhilePublishing(run: Run, ada: Account, channel: number): Promise<void> {
  const { network } = run;
  const [posts, kills] = [numberOf("posts", 50), numberOf("kills", 10)];
  const mark = randomUUID();
  const ids: number[] = [];
  for (let at = 0; at < posts; at += 1)
    ids.push(await create(network, channel, { caption_text: `Kill ${at} ${mark}` }));
  for (let at = 0; at < kills; at += 1) {
    await sleep(300 + Math.random() * 1_500);
    await network.restart();
  }
  const outcomes = await Promise.all(ids.map((id) => ended(network, id)));
  const live = withText(await network.records(ada), mark);
  const texts = new Set(live.map(({ value }) => value.text));
  const published = outcomes.filter(({ STATUS }) => STATUS === "published").length;
  check(
    run,
    `${posts} posts, ${kills} kills: each is live once`,
    published === posts && live.length === posts && texts.size === posts,
    {
      published,
      live: live.length,
      distinct: texts.size,
    },
  );
}

function numberOf(name: string, standard: number): number {
  const at = process.argv.indexOf(`--${name}`);
  const value = Number(process.argv[at + 1]);
  return at > 0 && Number.isInteger(value) && value >= 0 ? value : standard;
}

await runCommand(USAGE, real);
