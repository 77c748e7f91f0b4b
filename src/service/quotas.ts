import { z } from "zod";

/** The quotas of a project. */
export interface Quotas {
  /** Posts that are drafts, scheduled, queued or being published. */
  readonly waitingPosts: number;
  /** Bytes of the texts of its posts, and of files of posts that are not imported yet. */
  readonly storedBytes: number;
  /** Files of posts that are not imported yet. */
  readonly openImports: number;
  /** Bytes of its uploaded files. */
  readonly uploadedBytes: number;
  /** Uploads that are not complete. */
  readonly uploadsUnderWay: number;
  /** Open connect sessions that have not connected anything yet. */
  readonly connectSessions: number;
  readonly webhooks: number;
  /** Comment automations that are not deleted, and the active ones per channel. */
  readonly bots: number;
  readonly botsOfChannel: number;
  /** Concurrent requests that inspect media files. */
  readonly probingsAtOnce: number;
  /**
   * The most that its campaigns may cost together, in whole units by currency; `*` for all other currencies.
   */
  readonly spend: Readonly<Record<string, number>>;
  /** The most that platforms may charge for its calls in a month, likewise; empty for no ceiling. */
  readonly platformCost: Readonly<Record<string, number>>;
  /** Generations started per day, UTC. */
  readonly generationsADay: number;
  /**
   * Calls of models a day, UTC: of a project, of one of its bots, and for trials of bots, which are apart.
   */
  readonly modelCallsADay: number;
  readonly modelCallsOfBot: number;
  readonly modelTrialsADay: number;
  /** Calls a day, UTC, that make pictures fit. */
  readonly fitsADay: number;
  /** Comments, and direct messages, that are stored on one day, UTC. */
  readonly commentsADay: number;
  readonly messagesADay: number;
}

/** Roughly the same value in every currency. */
const STANDARD_SPEND = {
  JPY: 1_500_000,
  KRW: 15_000_000,
  VND: 250_000_000,
  IDR: 150_000_000,
  CLP: 10_000_000,
  COP: 40_000_000,
  HUF: 4_000_000,
  INR: 900_000,
  "*": 10_000,
};

/** Variables of the quotas: a request beyond them gets a 429 `quota_exceeded` (docs/operate.md). */
export const QUOTA_VARIABLES = {
  MAX_WAITING_POSTS: z.coerce.number().int().positive().default(100_000),
  MAX_STORED_BYTES: z.coerce.number().int().positive().default(2_000_000_000),
  MAX_OPEN_IMPORTS: z.coerce.number().int().positive().default(20),
  MAX_UPLOADED_BYTES: z.coerce.number().int().positive().default(20_000_000_000),
  MAX_UPLOADS_UNDER_WAY: z.coerce.number().int().positive().default(100),
  MAX_CONNECT_SESSIONS: z.coerce.number().int().positive().default(1_000),
  MAX_WEBHOOKS: z.coerce.number().int().positive().default(20),
  MAX_BOTS: z.coerce.number().int().positive().default(10_000),
  /** Active bots per channel. */
  MAX_BOTS_PER_CHANNEL: z.coerce.number().int().positive().default(50),
  MAX_PROBINGS_AT_ONCE: z.coerce.number().int().positive().default(10),
  /**
   * The most that all campaigns of a project may cost, by currency, in whole units:
   * `EUR=500,JPY=80000,*=500`.
   */
  MAX_SPEND: z.string().transform(parseCeilings).default(STANDARD_SPEND),
  /** The most that platforms may charge a project in a month, likewise; none if it is not set. */
  MAX_PLATFORM_COST: z.string().transform(parseCeilings).default({}),
  MAX_GENERATIONS_A_DAY: z.coerce.number().int().positive().default(200),
  MAX_MODEL_CALLS_A_DAY: z.coerce.number().int().positive().default(2_000),
  MAX_MODEL_CALLS_OF_BOT_A_DAY: z.coerce.number().int().positive().default(500),
  MAX_MODEL_TRIALS_A_DAY: z.coerce.number().int().positive().default(100),
  MAX_FITS_A_DAY: z.coerce.number().int().positive().default(2_000),
  MAX_COMMENTS_A_DAY: z.coerce.number().int().positive().default(20_000),
  MAX_MESSAGES_A_DAY: z.coerce.number().int().positive().default(20_000),
};

/** What a call of a model costs, by the operator: `text=0.002,image=0.04,speech=0.015,video=0.1`. */
export const ModelPrices = z.string().transform(parsePrices).default({});

const QuotaVariables = z.object(QUOTA_VARIABLES);

export function quotasOf(vars: z.output<typeof QuotaVariables>): Quotas {
  return {
    waitingPosts: vars.MAX_WAITING_POSTS,
    storedBytes: vars.MAX_STORED_BYTES,
    openImports: vars.MAX_OPEN_IMPORTS,
    uploadedBytes: vars.MAX_UPLOADED_BYTES,
    uploadsUnderWay: vars.MAX_UPLOADS_UNDER_WAY,
    connectSessions: vars.MAX_CONNECT_SESSIONS,
    webhooks: vars.MAX_WEBHOOKS,
    bots: vars.MAX_BOTS,
    botsOfChannel: vars.MAX_BOTS_PER_CHANNEL,
    probingsAtOnce: vars.MAX_PROBINGS_AT_ONCE,
    spend: vars.MAX_SPEND,
    platformCost: vars.MAX_PLATFORM_COST,
    generationsADay: vars.MAX_GENERATIONS_A_DAY,
    modelCallsADay: vars.MAX_MODEL_CALLS_A_DAY,
    modelCallsOfBot: vars.MAX_MODEL_CALLS_OF_BOT_A_DAY,
    modelTrialsADay: vars.MAX_MODEL_TRIALS_A_DAY,
    fitsADay: vars.MAX_FITS_A_DAY,
    commentsADay: vars.MAX_COMMENTS_A_DAY,
    messagesADay: vars.MAX_MESSAGES_A_DAY,
  };
}

function parseCeilings(text: string, context: z.RefinementCtx): Record<string, number> {
  const entries = text.split(",").map((part) => /^\s*([A-Z]{3}|\*)\s*=\s*(\d{1,9})\s*$/.exec(part));
  if (entries.every((entry) => entry !== null))
    return Object.fromEntries(entries.map(([, currency = "*", most]) => [currency, Number(most)]));
  context.addIssue("it must read `EUR=500,*=100`: currencies, and whole units of them");
  return z.NEVER;
}

/** In US dollars; a video's is for a second. Returned in micros. */
function parsePrices(text: string, context: z.RefinementCtx): Record<string, number> {
  const entries = text
    .split(",")
    .map((part) => /^\s*(text|image|speech|video)\s*=\s*(\d{1,4}(?:\.\d{1,6})?)\s*$/.exec(part));
  if (entries.every((entry) => entry !== null))
    return Object.fromEntries(entries.map(([, kind = "text", dollars]) => [kind, Math.round(Number(dollars) * 1e6)]));
  context.addIssue("it must read `text=0.002,image=0.04,speech=0.015,video=0.1`: US dollars a call, a second of video");
  return z.NEVER;
}
