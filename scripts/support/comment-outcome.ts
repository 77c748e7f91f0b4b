// Checks whether each comment got the expected reply, from the plan, the bots' logs and the platforms'
// records.
import type { LiveComment, LiveMessage } from "../../test/support/control.ts";
import type { Logged } from "./api.ts";
import { type BotPlan, type CommentPlan, markOf, takesMessages } from "./comment-plan.ts";

export interface MadeBot extends BotPlan {
  readonly id: number;
}

export interface Written extends CommentPlan {
  /** The platform's id. */
  readonly id: string;
}

/** A bot and a comment on a post that the bot covers. */
export interface Pair {
  readonly bot: MadeBot;
  readonly comment: Written;
  /** Null if the service has no log entry for it. */
  readonly entry: Logged | null;
  readonly answers: readonly LiveComment[];
  readonly messages: readonly LiveMessage[];
  /** Error messages. */
  readonly wrongs: readonly string[];
}

export interface Record {
  readonly comments: readonly LiveComment[];
  readonly messages: readonly LiveMessage[];
}

export interface Tally {
  readonly pairs: readonly Pair[];
  /** Errors that do not belong to a single pair. */
  readonly wrongs: readonly string[];
}

/**
 * Maps comments to the ids in the platforms' records: a platform may have several ids for one comment. Each
 * text occurs in one comment only.
 */
export function asRecorded(log: readonly Logged[], written: readonly Written[]): Logged[] {
  const byMark = new Map(written.map(({ text, id }) => [markOf(text), id]));
  return log.map((entry) => {
    const id = byMark.get(markOf(entry.comment.text ?? ""));
    return id === undefined ? entry : { ...entry, comment: { ...entry.comment, id } };
  });
}

export function tally(
  bots: readonly MadeBot[],
  written: readonly Written[],
  logs: ReadonlyMap<number, readonly Logged[]>,
  record: Record,
): Tally {
  const ours = ourAnswers(bots, written, record.comments);
  const sent = ourMessages(bots, written, record.messages, logs);
  const pairs = bots.flatMap((bot) => {
    const entries = Map.groupBy(logs.get(bot.id) ?? [], ({ comment }) => comment.id);
    return written
      .filter(({ post }) => bot.posts.has(post.id))
      .map((comment): Pair => {
        const own = entries.get(comment.id) ?? [];
        const key = keyOf(bot, comment);
        const [answers, messages] = [ours.byPair.get(key) ?? [], sent.byPair.get(key) ?? []];
        const pair = { bot, comment, entry: own[0] ?? null, answers, messages };
        const twice = own.length > 1 ? [`it is in the log ${own.length} times`] : [];
        return { ...pair, wrongs: [...twice, ...wrongsOf(pair)] };
      });
  });
  const wrongs = [
    ...ours.strange,
    ...sent.strange,
    ...strangers(bots, written, logs),
    ...onceWrongs(pairs),
    ...sharedIds(pairs),
  ];
  return { pairs, wrongs };
}

const keyOf = (bot: MadeBot, { id }: Pick<Written, "id">): string => `${bot.id} ${id}`;

/** The bot of the post whose words the text contains; otherwise the bot that uses a model. */
function speakerOf(text: string, bots: readonly MadeBot[], words: (bot: MadeBot) => string): MadeBot | undefined {
  // Where a platform rejects repeated texts, the reply starts with the recipient's name.
  return bots.find((bot) => text.endsWith(words(bot))) ?? bots.find(({ usesAi }) => usesAi);
}

/** The test writes the comments; every other one is a reply of the service. */
function ourAnswers(bots: readonly MadeBot[], written: readonly Written[], comments: readonly LiveComment[]) {
  const byId = new Map(written.map((comment) => [comment.id, comment]));
  const byPair = new Map<string, LiveComment[]>();
  const strange: string[] = [];
  for (const one of comments.filter(({ id }) => !byId.has(id))) {
    const answered = one.reply_to === null ? undefined : byId.get(one.reply_to);
    const able = bots.filter((bot) => answered && bot.posts.has(answered.post.id) && bot.comments);
    const speaker = speakerOf(one.text, able, ({ body }) => body.comment_reply);
    if (!answered || !speaker)
      strange.push(`${one.platform}: “${one.text}” was written under a comment that needs no answer`);
    else put(byPair, keyOf(speaker, answered), one);
  }
  return { byPair, strange };
}

/**
 * Some platforms do not report which comment a message answers. Messages of one bot to one person are then
 * matched by the log's ids.
 */
function ourMessages(
  bots: readonly MadeBot[],
  written: readonly Written[],
  messages: readonly LiveMessage[],
  logs: ReadonlyMap<number, readonly Logged[]>,
) {
  const byId = new Map(written.map((comment) => [comment.id, comment]));
  const entries = [...logs.values()].flat();
  const claimed = entries.flatMap(({ comment, direct_message: part }) =>
    part?.id ? [[part.id, comment.id] as const] : [],
  );
  const byMessage = new Map(claimed);
  // Entries with an unknown outcome may match any message that no other entry claims.
  const doubts = entries.filter(({ direct_message: part }) => part?.reason === "may_be_published");
  const doubted = ({ recipient_id: id }: LiveMessage) => {
    const at = doubts.findIndex(({ comment }) => comment.author_id === id);
    return at < 0 ? undefined : doubts.splice(at, 1)[0]?.comment.id;
  };
  const byPair = new Map<string, LiveMessage[]>();
  const strange: string[] = [];
  for (const one of messages) {
    const answered = byId.get(one.comment_id ?? byMessage.get(one.id) ?? doubted(one) ?? "");
    const able = bots.filter((bot) => answered && bot.posts.has(answered.post.id) && bot.messages);
    const speaker = speakerOf(one.text, able, ({ body }) => body.direct_message);
    if (!answered || !speaker)
      strange.push(`${one.platform}: “${one.text}” to ${one.recipient} answers no known comment`);
    else put(byPair, keyOf(speaker, answered), one);
  }
  return { byPair, strange };
}

function put<T>(map: Map<string, T[]>, key: string, one: T): void {
  map.set(key, [...(map.get(key) ?? []), one]);
}

type Bare = Omit<Pair, "wrongs">;

/** The expected handling of a comment that a bot receives, from the plan alone. */
function expectationOf({
  bot,
  comment,
}: Pick<Pair, "bot" | "comment">): "nothing" | "no_keyword" | "unsupported" | "answer" {
  if (comment.isInThread) return "nothing";
  if (bot.topic !== null && !comment.topics.includes(bot.topic)) return "no_keyword";
  return bot.comments || takesMessages(comment.post.platform) ? "answer" : "unsupported";
}

function wrongsOf(pair: Bare): string[] {
  const { entry, answers, messages } = pair;
  const doubled = [
    ...(answers.length > 1 ? [`answered ${answers.length} times`] : []),
    ...(messages.length > 1 ? [`${messages.length} direct messages`] : []),
  ];
  const expected = expectationOf(pair);
  if (entry === null) {
    const there = answers.length + messages.length > 0 ? ["answered, but not in the log"] : [];
    // Some platforms do not list replies to comments.
    return [...doubled, ...there, ...(expected === "nothing" ? [] : ["missed: not in the log"])];
  }
  if (expected === "answer" && entry.outcome !== "skipped")
    return [...doubled, ...wrongEnd(entry), ...wrongParts(pair, entry)];
  const isThere = answers.length + messages.length > 0 ? ["skipped, but answered"] : [];
  const allowed = allowedSkips(pair, expected);
  const isRight = entry.outcome === "skipped" && entry.reason !== null && allowed.includes(entry.reason);
  return [
    ...doubled,
    ...isThere,
    ...(isRight ? [] : [`${entry.outcome} (${entry.reason}): expected ${allowed.join(" or ")}`]),
  ];
}

function allowedSkips({ bot }: Bare, expected: ReturnType<typeof expectationOf>): readonly string[] {
  switch (expected) {
    case "nothing":
      return ["in_a_thread"];
    case "no_keyword":
      return ["no_keyword"];
    case "unsupported":
      return ["unsupported_by_platform"];
    case "answer":
      return bot.frequency === "randomly"
        ? ["not_chosen"]
        : bot.frequency === "once"
          ? ["once_already"]
          : ["an answer"];
  }
}

function wrongEnd({ outcome, reason, message }: Logged): string[] {
  if (outcome === "waiting") return [`still waiting: ${message}`];
  if (outcome === "replied") return reason === null ? [] : [`replied, with the reason ${reason}`];
  return reason === null || message === "" ? [`${outcome} without a reason`] : [];
}

function wrongParts({ bot, comment, answers, messages }: Bare, entry: Logged): string[] {
  const isReplied = entry.outcome === "replied";
  const hasMessages = bot.messages && takesMessages(comment.post.platform);
  return [
    ...wrongPart(
      { what: "answer", isWanted: bot.comments, part: entry.comment_reply, there: answers.length },
      isReplied,
    ),
    ...wrongPart(
      { what: "direct message", isWanted: hasMessages, part: entry.direct_message, there: messages.length },
      isReplied,
    ),
  ];
}

interface ReplyPart {
  readonly what: string;
  readonly isWanted: boolean;
  readonly part: Logged["comment_reply"];
  readonly there: number;
}

function wrongPart({ what, isWanted, part, there }: ReplyPart, isReplied: boolean): string[] {
  if (!isWanted) {
    const isQuiet = part === null || (part.state === "not_sent" && part.reason === "unsupported_by_platform");
    return there === 0 && isQuiet ? [] : [`an unwanted ${what}`];
  }
  switch (part?.state) {
    case "sent":
      return there >= 1 ? [] : [`the ${what} is logged as sent but does not exist`];
    case "not_sent": {
      const isDoubtful = part.reason === "may_be_published";
      return [
        ...(part.reason === null || !part.message ? [`no reason why the ${what} was not sent`] : []),
        ...(there > 0 && !isDoubtful ? [`the ${what} is logged as not sent (${part.reason}) but exists`] : []),
        ...(isReplied ? [`replied, but the ${what} was not sent`] : []),
      ];
    }
    default:
      return [`the ${what} has no final state`];
  }
}

/** A bot that answers once answers each person once, unless nothing could be sent to them. */
function onceWrongs(pairs: readonly Pair[]): string[] {
  const matching = pairs.filter((pair) => pair.bot.frequency === "once" && expectationOf(pair) === "answer");
  const people = Map.groupBy(matching, ({ bot, comment }) => `${bot.name}, ${comment.post.platform} ${comment.author}`);
  return [...people].flatMap(([who, own]) => {
    const begun = own.filter(({ entry }) => entry !== null && entry.outcome !== "skipped");
    const answered = own.filter(({ answers, messages }) => answers.length + messages.length > 0).length;
    if (answered > 1) return [`${who} was answered ${answered} times, at most once is allowed`];
    return begun.length === 0 ? [`${who} was never answered: each comment is logged as answered before`] : [];
  });
}

/** One platform reply must not belong to two comments. */
function sharedIds(pairs: readonly Pair[]): string[] {
  const claims = pairs.flatMap(({ bot, comment, entry }) =>
    [entry?.comment_reply?.id, entry?.direct_message?.id].flatMap((id) =>
      id ? [{ id: `${comment.post.platform} ${id}`, by: `${bot.name} to ${comment.text}` }] : [],
    ),
  );
  return [...Map.groupBy(claims, ({ id }) => id)].flatMap(([id, own]) =>
    own.length > 1 ? [`${id} is logged as the answer of ${own.map(({ by }) => by).join(" and of ")}`] : [],
  );
}

/** Log entries that match no planned comment on a post of the bot. */
function strangers(
  bots: readonly MadeBot[],
  written: readonly Written[],
  logs: ReadonlyMap<number, readonly Logged[]>,
): string[] {
  const byId = new Map(written.map((comment) => [comment.id, comment]));
  return bots.flatMap((bot) =>
    (logs.get(bot.id) ?? []).flatMap(({ comment, outcome }) => {
      const known = byId.get(comment.id);
      if (known && bot.posts.has(known.post.id)) return [];
      return [`${bot.name} took “${comment.text}” (${comment.id}) for another author's comment: ${outcome}`];
    }),
  );
}
