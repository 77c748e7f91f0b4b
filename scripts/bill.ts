import { ASSUMED, billOf, CLOUDFLARE, COLUMNS, PIECE_COLUMNS, pieceRows, rowsOf } from "./support/bill.ts";
import { Refusal, readArguments, runCommand } from "./support/command.ts";
import { bold, dim, say, table } from "./support/terminal.ts";

const USAGE = `npm run bill -- --posts N [--links SHARE] [--x SHARE] [--bots N] [--answers N] [--insights SHARE] [--channels N]
               [--direct-messages N] [--fits SHARE]

Prints what a month costs, line by line, from measured counts and the price lists of X and Cloudflare, and what one piece of each
kind of work takes: a post, a poll, a read of numbers, a row of a file, a post of a series, a direct message.

  --posts N      posts that are published in the month, up to 1,000,000,000
  --links 0.2    the share of them with a link, which X charges more for. Default: 0
  --x 0.5        the share of posts and answers on X. Other platforms charge nothing for calls. Default: 1
  --bots N       comment bots. With a bot, every post is polled for comments. Default: 0
  --answers N    comments that each bot answers in the month. Default: 100
  --insights 0.5 the share of posts on X whose numbers are read, which is off until it is switched on. Default: 0.
                 Elsewhere all posts are read
  --channels N   channels whose numbers are read. Default: 0
  --direct-messages N
                 direct messages that are received and answered, on X by the share of --x. Default: 0
  --fits 0.1     the share of posts with a picture that is made to fit the platform. Default: 0

The counts are upper bounds. Models of the operator's choice are not part of it.`;

const OPTIONS = {
  posts: { type: "string" },
  links: { type: "string", default: "0" },
  x: { type: "string", default: "1" },
  bots: { type: "string", default: "0" },
  answers: { type: "string", default: "100" },
  insights: { type: "string", default: "0" },
  channels: { type: "string", default: "0" },
  "direct-messages": { type: "string", default: "0" },
  fits: { type: "string", default: "0" },
} as const;

const MOST = 1_000_000_000;

function whole(name: string, given: string | undefined): number {
  if (given !== undefined && /^\d{1,10}$/.test(given) && Number(given) <= MOST) return Number(given);
  throw new Refusal(`--${name} must be a whole number up to ${MOST}, not "${given ?? ""}". See --help.`);
}

function share(name: string, given: string): number {
  if (/^(0|1|0?\.\d{1,6}|1\.0+)$/.test(given)) return Number(given);
  throw new Refusal(`--${name} must be a number from 0 to 1, such as 0.2, not "${given}". See --help.`);
}

await runCommand(USAGE, async () => {
  const { posts, links, x, bots, answers, insights, channels, ...others } = readArguments(OPTIONS);
  const lines = billOf({
    posts: whole("posts", posts),
    links: share("links", links),
    onX: share("x", x),
    bots: whole("bots", bots),
    answers: whole("answers", answers),
    insights: share("insights", insights),
    channels: whole("channels", channels),
    directMessages: whole("direct-messages", others["direct-messages"]),
    fits: share("fits", others.fits),
  });
  say(bold("A month at list prices, in US dollars"));
  say(table(COLUMNS, rowsOf(lines)));
  say(bold("\nOne piece of work, at Cloudflare's list prices beyond what is included"));
  say(table(PIECE_COLUMNS, pieceRows()));
  say(
    dim(
      `Cloudflare's prices of ${CLOUDFLARE.readOn}. Assumed: ${ASSUMED.cpuMsOfWork} ms of CPU for each request and ` +
        `message, ${ASSUMED.bytesOfPost} bytes for each post.`,
    ),
  );
});
