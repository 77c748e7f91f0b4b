import { readsOf } from "../../src/insights/plan.ts";
import type { Price } from "../../src/platforms/pricing.ts";
import { pricing } from "../../src/platforms/twitter/prices.ts";

/**
 * What a month costs: the counts of one post, one poll and one answer, times the price lists of X and
 * Cloudflare. docs/costs.md shows two months; test/usage/bill.test.ts measures the counts.
 */

/** What one piece of work takes. */
export interface Counts {
  readonly requests: number;
  readonly messages: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
  readonly kvReads: number;
  readonly objectCalls: number;
}

/**
 * Upper bounds, for X, where work takes most rows. Of what is read from the service itself, for a usual size.
 */
export const COUNTS = {
  /** A text post: the request, and the delivery that publishes it. */
  post: { requests: 1, messages: 1, rowsRead: 118, rowsWritten: 30, kvReads: 1, objectCalls: 2 },
  /** A poll of a post that has no new comment. */
  poll: { requests: 0, messages: 1, rowsRead: 60, rowsWritten: 7, kvReads: 0, objectCalls: 0 },
  /** A new comment: it is stored and decided, and a bot answers it in public. */
  answer: { requests: 0, messages: 1, rowsRead: 160, rowsWritten: 38, kvReads: 0, objectCalls: 0 },
  /** A read of what a post achieved, alone in its run, with the renewal of its login. */
  reading: { requests: 0, messages: 1, rowsRead: 80, rowsWritten: 12, kvReads: 1, objectCalls: 0 },
  /** A look for posts of a channel whose numbers are due, while there are none. */
  look: { requests: 0, messages: 1, rowsRead: 24, rowsWritten: 4, kvReads: 0, objectCalls: 0 },
  /** The best times to post, from the numbers of a hundred posts; so are top posts and the export. */
  bestTimes: { requests: 1, messages: 0, rowsRead: 115, rowsWritten: 0, kvReads: 1, objectCalls: 1 },
  /** A page of twenty comments. */
  comments: { requests: 1, messages: 0, rowsRead: 48, rowsWritten: 0, kvReads: 1, objectCalls: 1 },
  /** A row of a file, checked and created; its publication is that of a post. */
  imported: { requests: 0, messages: 0, rowsRead: 22, rowsWritten: 15, kvReads: 0, objectCalls: 0 },
  /** A post that a series creates; its publication is that of a post. */
  occurrence: { requests: 0, messages: 1, rowsRead: 42, rowsWritten: 18, kvReads: 0, objectCalls: 0 },
  /** A comment that a person answers: the request, and the delivery that writes the answer. */
  answered: { requests: 1, messages: 1, rowsRead: 145, rowsWritten: 34, kvReads: 0, objectCalls: 0 },
  /** A read of the direct messages of a channel, without news, with the renewal of its login. */
  inbox: { requests: 0, messages: 1, rowsRead: 62, rowsWritten: 9, kvReads: 1, objectCalls: 0 },
  /** The same with a new message. */
  message: { requests: 0, messages: 1, rowsRead: 160, rowsWritten: 29, kvReads: 1, objectCalls: 0 },
  /** A message that is answered: the request, and the delivery that sends the answer. */
  messageAnswer: { requests: 1, messages: 1, rowsRead: 138, rowsWritten: 34, kvReads: 0, objectCalls: 0 },
  /** A read of a feed that has nothing new. */
  feedRead: { requests: 0, messages: 1, rowsRead: 12, rowsWritten: 5, kvReads: 0, objectCalls: 0 },
  /** The same with an entry that becomes a post; its publication is that of a post. */
  feedEntry: { requests: 0, messages: 1, rowsRead: 38, rowsWritten: 15, kvReads: 0, objectCalls: 0 },
  /** The sweep of a minute in which nothing is due. */
  sweep: { requests: 1, messages: 0, rowsRead: 130, rowsWritten: 1, kvReads: 1, objectCalls: 0 },
} as const satisfies Record<string, Counts>;
export type Work = Readonly<Record<keyof typeof COUNTS, Counts>>;

const TITLES: Readonly<Record<keyof Work, string>> = {
  post: "a post: created and published",
  poll: "a poll of a post's comments",
  answer: "a comment that a bot answers",
  reading: "a read of what a post achieved",
  look: "a look for numbers that are due, of a channel",
  bestTimes: "best times, top posts or the export, of 100 posts",
  comments: "a page of 20 comments",
  imported: "a row of a file: checked and created",
  occurrence: "a post that a series creates",
  answered: "a comment that a person answers",
  inbox: "a read of a channel's direct messages without news",
  message: "the same with a message",
  messageAnswer: "a direct message that is answered",
  feedRead: "a read of a feed without news",
  feedEntry: "a read of a feed with an entry: its post is created",
  sweep: "the sweep of a minute",
};

/** Looks for numbers that are due: one in 23 hours. A read after a publication is one of its post. */
const LOOKS_OF_A_CHANNEL = Math.ceil((30 * 24) / 23);

/** Polls of a post without comments, from its publication until polling ends. */
export const POLLS_OF_A_POST = 330;
const SWEEPS = 30 * 24 * 60;

/** Assumed, not measured: they depend on the account owner's texts and files. */
export const ASSUMED = { cpuMsOfWork: 10, bytesOfPost: 4_000 };

export interface Month {
  /** Posts that are published. */
  readonly posts: number;
  /** The share of them with a link. */
  readonly links: number;
  /** The share of posts and answers on X. */
  readonly onX: number;
  readonly bots: number;
  /** Comments that each bot answers. */
  readonly answers: number;
  /** The share of posts on X whose numbers are read; elsewhere all are, without a price. */
  readonly insights: number;
  /** Channels whose numbers are read. */
  readonly channels: number;
  /** Direct messages that are received and answered; a share of `onX` on X. */
  readonly directMessages: number;
  /** The share of posts with a picture that is made to fit. */
  readonly fits: number;
}

/** The months of docs/costs.md. */
export const MONTHS = {
  small: {
    posts: 3_000,
    links: 0.2,
    onX: 1,
    bots: 5,
    answers: 100,
    insights: 0,
    channels: 10,
    directMessages: 0,
    fits: 0,
  },
  large: {
    posts: 10_000_000,
    links: 0.2,
    onX: 1,
    bots: 1_000,
    answers: 100,
    insights: 0,
    channels: 100_000,
    directMessages: 0,
    fits: 0,
  },
} as const satisfies Record<string, Month>;

export interface BillLine {
  readonly group: "X" | "Cloudflare";
  readonly title: string;
  readonly amount: number;
  /** Free of charge each month. */
  readonly included: number;
  readonly price: string;
  readonly usd: number;
}

/** Cloudflare's list for Workers Paid, developers.cloudflare.com, read on 2026-11-22. */
export const CLOUDFLARE = {
  readOn: "2026-11-22",
  planUsd: 5,
  requests: { title: "requests", included: 10e6, per: 1e6, usd: 0.3 },
  cpu: { title: "CPU milliseconds", included: 30e6, per: 1e6, usd: 0.02 },
  rowsRead: { title: "D1 rows read", included: 25e9, per: 1e6, usd: 0.001 },
  rowsWritten: { title: "D1 rows written", included: 50e6, per: 1e6, usd: 1 },
  storage: { title: "D1 storage, GB", included: 5, per: 1, usd: 0.75 },
  kvReads: { title: "KV reads", included: 10e6, per: 1e6, usd: 0.5 },
  queueOperations: { title: "queue operations", included: 1e6, per: 1e6, usd: 0.4 },
  objectRequests: { title: "Durable Object requests", included: 1e6, per: 1e6, usd: 0.15 },
  /** Of an Images plan; read on 2026-11-29. */
  pictures: { title: "pictures made to fit", included: 5_000, per: 1_000, usd: 0.5 },
} as const;
type Product = Exclude<keyof typeof CLOUDFLARE, "readOn" | "planUsd">;

/** A message is written, read and deleted. */
const OPERATIONS_OF_A_MESSAGE = 3;

/** All lines, those of X first. Lines without an amount are absent. */
export function billOf(month: Month, counts: Work = COUNTS): readonly BillLine[] {
  return [...linesOfX(month), ...linesOfCloudflare(month, counts)].filter(({ amount }) => amount > 0);
}

export const totalOf = (lines: readonly BillLine[]): number => lines.reduce((sum, { usd }) => sum + usd, 0);

function linesOfX({ posts, links, onX, bots, answers, insights, directMessages }: Month): BillLine[] {
  const own = Math.round(posts * onX);
  const linked = Math.round(own * links);
  const answered = Math.round(bots * answers * onX);
  const written = Math.round(directMessages * onX);
  const amounts: Readonly<Record<string, number>> = {
    post_create: own - linked,
    post_create_with_link: linked,
    post_create_summoned: answered,
    // A comment is read with its author; the numbers of a post, again and again for 90 days.
    post_read: answered + Math.round(own * insights) * readsOf("post", true),
    // So is a message.
    user_read: answered + written,
    message_read: written,
    message_create: written,
  };
  return pricing.prices.map((price) => lineOfX(price, amounts[price.operation] ?? 0));
}

function lineOfX({ title, micros }: Price, amount: number): BillLine {
  const price = micros / 1e6;
  return { group: "X", title, amount, included: 0, price: `${price} each`, usd: (micros * amount) / 1e6 };
}

function linesOfCloudflare(month: Month, counts: Work): BillLine[] {
  const used = usageOf(month, counts);
  const plan = { group: "Cloudflare", title: "Workers Paid", amount: 1, included: 0, price: "5 a month" } as const;
  return [{ ...plan, usd: CLOUDFLARE.planUsd }, ...used.map(([product, amount]) => lineOf(product, amount))];
}

function lineOf(product: Product, amount: number): BillLine {
  const { title, included, per, usd } = CLOUDFLARE[product];
  const charged = Math.max(0, amount - included);
  const price = `${usd} ${PER[per]}`;
  return { group: "Cloudflare", title, amount, included, price, usd: (charged / per) * usd };
}

const PER = { 1: "each", 1000: "a thousand", 1000000: "a million" } as const;

function usageOf(
  { posts, onX, bots, answers, insights, channels, directMessages, fits }: Month,
  counts: Work,
): readonly (readonly [Product, number])[] {
  const work: readonly (readonly [Counts, number])[] = [
    [counts.post, posts],
    [counts.poll, bots > 0 ? posts * POLLS_OF_A_POST : 0],
    [counts.answer, bots * answers],
    [counts.reading, Math.round(posts * onX * insights) * readsOf("post", true)],
    [counts.reading, Math.round(posts * (1 - onX)) * readsOf("post", false)],
    [counts.look, channels * LOOKS_OF_A_CHANNEL],
    [counts.message, directMessages],
    [counts.messageAnswer, directMessages],
    [counts.sweep, SWEEPS],
  ];
  const sum = (name: keyof Counts) => work.reduce((all, [counts, times]) => all + counts[name] * times, 0);
  const messages = sum("messages");
  return [
    ["requests", sum("requests")],
    ["cpu", (sum("requests") + messages) * ASSUMED.cpuMsOfWork],
    ["rowsRead", sum("rowsRead")],
    ["rowsWritten", sum("rowsWritten")],
    ["storage", (posts * ASSUMED.bytesOfPost) / 1e9],
    ["kvReads", sum("kvReads")],
    ["queueOperations", messages * OPERATIONS_OF_A_MESSAGE],
    ["objectRequests", sum("objectCalls")],
    ["pictures", Math.round(posts * fits)],
  ];
}

const number = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 2 });
const money = (usd: number) => usd.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export const COLUMNS = ["LINE", "AMOUNT", "INCLUDED", "USD PER UNIT", "USD"];

/** The rows of the printed table and of docs/costs.md. */
export function rowsOf(lines: readonly BillLine[]): string[][] {
  const rows = lines.map(({ group, title, amount, included, price, usd }) => [
    `${group}: ${title}`,
    number(amount),
    included === 0 ? "" : number(included),
    price,
    money(usd),
  ]);
  return [...rows, ["Together", "", "", "", money(totalOf(lines))]];
}

const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;

/** The same table in Markdown. */
export const markdownOf = (month: Month): string =>
  [line(COLUMNS), line(["---", "---:", "---:", "---", "---:"]), ...rowsOf(billOf(month)).map(line)].join("\n");

export const PIECE_COLUMNS = ["ONE", "REQUESTS", "MESSAGES", "ROWS READ", "ROWS WRITTEN", "USD FOR 1,000"];

/** What each piece of work takes, and what Cloudflare charges for a thousand beyond what is included. */
export function pieceRows(): string[][] {
  return Object.entries(TITLES).map(([piece, title]) => {
    const counts = COUNTS[piece as keyof Work];
    const { requests, messages, rowsRead, rowsWritten, kvReads, objectCalls } = counts;
    const used: readonly (readonly [Product, number])[] = [
      ["requests", requests],
      ["cpu", (requests + messages) * ASSUMED.cpuMsOfWork],
      ["rowsRead", rowsRead],
      ["rowsWritten", rowsWritten],
      ["kvReads", kvReads],
      ["queueOperations", messages * OPERATIONS_OF_A_MESSAGE],
      ["objectRequests", objectCalls],
    ];
    const usd = used.reduce(
      (sum, [product, amount]) => sum + (amount / CLOUDFLARE[product].per) * CLOUDFLARE[product].usd,
      0,
    );
    return [title, ...[requests, messages, rowsRead, rowsWritten].map(number), (usd * 1000).toFixed(4)];
  });
}

export const piecesInMarkdown = (): string =>
  [line(PIECE_COLUMNS), line(["---", "---:", "---:", "---:", "---:", "---:"]), ...pieceRows().map(line)].join("\n");
