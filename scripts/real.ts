import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { type Answers, callServer } from "./support/bluesky-calls.ts";
import { readArguments, readWhole, runCommand, type Scope } from "./support/command.ts";
import { countBroken, sayFindings } from "./support/driver.ts";
import { ROOT } from "./support/paths.ts";
import { followMove, loseAccount, loseRenewal, moveAccount } from "./support/real-accounts.ts";
import { type Account, bootNetwork } from "./support/real-network.ts";
import {
  answerComment,
  createInTrouble,
  deletePost,
  outliveExpiry,
  outliveNonces,
  outliveTrouble,
  publishKinds,
} from "./support/real-posts.ts";
import { check, create, ended, type RealRun, withText } from "./support/real-run.ts";
import { bold, dim, elapsed, green, red, say } from "./support/terminal.ts";

const USAGE = `npm run real: installs the servers of Bluesky's network into scripts/real, starts a directory and two servers on this
machine, signs in through their real pages in Chromium, and publishes, comments, moves and deletes there. The official client
reads everything back. Runs a service of its own. CHROMIUM names another program than the one in the path.

  -- --posts 50 --kills 10      how many posts are published while the service is killed so often
  -- --record                   only writes what a server answers to scripts/real/answers.json, with which the sandbox is compared`;

const ANSWERS = join(ROOT, "scripts", "real", "answers.json");

async function real(scope: Scope): Promise<number> {
  const options = readArguments({
    posts: { type: "string", default: "50" },
    kills: { type: "string", default: "10" },
    record: { type: "boolean", default: false },
  });
  const size = { posts: readWhole("posts", options.posts, 1_000), kills: readWhole("kills", options.kills, 100) };
  const since = Date.now();
  say(`${bold("Belfry")} beside the network's own servers`);
  const run: RealRun = { network: await bootNetwork(scope), since, findings: [] };
  note(run, "booted: a directory of accounts, two servers, the service");
  return Promise.race([options.record ? writeAnswers(run) : runChecks(run, size), run.network.failed]);
}

interface Size {
  readonly posts: number;
  readonly kills: number;
}

async function runChecks(run: RealRun, size: Size): Promise<number> {
  const { network, since } = run;
  const ada = await network.createAccount("a", "ada");
  const channel = await network.connect(ada);
  note(run, `${ada.handle} signed in through the real pages`);

  await part(run, "what is published", () => publishKinds(run, ada, channel));
  await part(run, "nonces", () => outliveNonces(run, ada, channel));
  // Beside each other, because most of the time is waiting.
  const [mover] = await Promise.all([
    part(run, "an account that moves", () => moveAccount(run)),
    part(run, "comments and a bot", () => answerComment(run, ada, channel)),
    part(run, "deletion", () => deletePost(run, ada, channel)),
    part(run, "an account that is deleted", () => loseAccount(run)),
    part(run, "the server's answers", () => compareAnswers(run)),
  ]);
  // On its own: a fault cannot tell whose renewal it meets.
  await part(run, "a renewal that is lost", () => loseRenewal(run));
  await part(run, "a token that expires", () => outliveExpiry(run, ada, channel));
  const troubled = (await part(run, "trouble begins", () => createInTrouble(run, channel))) ?? [];
  await Promise.all([
    part(run, "trouble on the way", () => outliveTrouble(run, ada, troubled)),
    part(run, "kills", () => killWhilePublishing(run, ada, channel, size)),
  ]);
  const { waiting } = await network.faults();
  check(run, "every fault met a call", waiting.length === 0, waiting);
  // Forgets where accounts live, as after some minutes.
  await network.restart();
  if (mover) await part(run, "what an account that has moved publishes", () => followMove(run, mover));

  sayFindings(run.findings);
  const broken = countBroken(run.findings);
  say(`\n${broken === 0 ? green("All checks passed") : red(`${broken} checks failed`)}, ${elapsed(since).trim()}.`);
  return broken === 0 ? 0 : 1;
}

const note = ({ since }: Pick<RealRun, "since">, text: string): void => say(dim(`${elapsed(since)}  ${text}`));

/** A part that breaks off is a finding, and the others still run. */
async function part<T>(run: RealRun, title: string, act: () => Promise<T>): Promise<T | null> {
  try {
    return await act();
  } catch (error) {
    run.findings.push({ holds: false, text: `${title}: ${error instanceof Error ? error.message : String(error)}` });
    return null;
  } finally {
    note(run, title);
  }
}

/** The sandbox repeats the recorded answers (test/platforms/bluesky/answers.test.ts): so does the server. */
async function compareAnswers(run: RealRun): Promise<void> {
  const answers = await answersOf(run);
  const recorded = z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(ANSWERS, "utf8")));
  const isOther = (name: string) => JSON.stringify(answers[name]) !== JSON.stringify(recorded[name]);
  const others = Object.keys(answers).filter(isOther);
  const found = Object.fromEntries(others.map((name) => [name, answers[name]]));
  check(run, "the server answers as recorded", others.length === 0, found);
}

async function writeAnswers(run: RealRun): Promise<number> {
  writeFileSync(ANSWERS, `${JSON.stringify(await answersOf(run), null, 2)}\n`);
  say("Wrote scripts/real/answers.json.");
  return 0;
}

const answersOf = async ({ network }: RealRun): Promise<Answers> =>
  callServer(network.served(await network.createAccount("b", "eve"), "b"));

async function killWhilePublishing(run: RealRun, ada: Account, channel: number, { posts, kills }: Size): Promise<void> {
  const { network } = run;
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

await runCommand(USAGE, real);
