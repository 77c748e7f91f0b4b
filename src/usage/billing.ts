import { type SQL, sql } from "drizzle-orm";
import { type Db, runBatch, type Statement, writeTogether } from "../db/client.ts";
import { RetryLater } from "../jobs/outcomes.ts";
import { addedUp, type Charge, microsOf, type PricedAct, type Pricing } from "../platforms/pricing.ts";
import type { CallRequest, Send } from "../platforms/request.ts";
import type { Deps } from "../service/deps.ts";
import {
  type Ceiling,
  CostCeilingReached,
  ceilingOf,
  isBeyond,
  isLimited,
  isNear,
  noticesOf,
  type Standing,
  selectStanding,
} from "./ceiling.ts";
import { type Bill, type Payer, type Reserved, release, reserve, settle } from "./store.ts";

/**
 * Counts and reserves what the calls of one delivery or request cost. It wraps the `send` of every call to a
 * platform as a channel, so no paid call escapes it.
 *
 *   an act:    reserved in the transaction of its intent ──▶ call ──▶ settled
 *   a page of a list, without a ceiling:                     call ──▶ counted
 *   any other: reserved by a statement of its own        ──▶ call ──▶ settled
 *
 * A call whose answer is lost stays reserved: it may have been charged. A call that would pass the project's
 * ceiling is not made: `CostCeilingReached` ends the delivery. A list is then read in smaller pages first.
 */
export class Billing {
  readonly #deps: BillingDeps;
  readonly #payer: Payer;
  readonly #pricing: Pricing | undefined;
  /** What was reserved for the act of the last intent. */
  #reserved: Reserved | null = null;
  /** The same while the act runs, without what its calls have taken. */
  #covered: Reserved | null = null;
  #isNearCeiling = false;

  constructor(deps: BillingDeps, payer: Payer, pricing: Pricing | undefined) {
    this.#deps = deps;
    this.#payer = payer;
    this.#pricing = pricing;
  }

  /** Whether a paid read of this delivery found that the month has cost 80 % of the ceiling. */
  get isNearCeiling(): boolean {
    return this.#isNearCeiling;
  }

  /** What an act takes by itself, and what its intent reserves. */
  plan({ act, series = null }: PlannedAct = { act: null }): Plan {
    const own = act ? billOf(this.#pricing, [act]) : [];
    if (series?.kind === "further") return { own, reserves: [], at: series.reservedAt };
    const others = series ? billOf(this.#pricing, series.others) : [];
    return { own, reserves: [...own, ...others], at: null };
  }

  /** Forbids the intent of an act that would pass the ceiling; null if it reserves nothing. */
  forbids({ reserves }: Plan): SQL | null {
    const micros = microsOf(reserves);
    return micros > 0 ? isBeyond(this.#ceiling(Date.now()), micros) : null;
  }

  /** Statements for the transaction that stores the intent of an act; `intended` holds once it is stored. */
  reserveAct({ own, reserves, at }: Plan, intended: SQL): Statement[] {
    const now = Date.now();
    this.#reserved = { charges: own, at: at ?? now };
    if (reserves.length === 0) return [];
    const { db } = this.#deps;
    const notices = microsOf(reserves) > 0 ? noticesOf(db, this.#ceiling(now), now) : [];
    return [...reserve(db, this.#payer, reserves, { at: now, condition: intended }), ...notices];
  }

  /**
   * After an intent was forbidden: ends the delivery if the ceiling is why. `over`: it is no longer wanted.
   */
  async requireRoom({ reserves }: Plan, over: SQL): Promise<void> {
    const micros = microsOf(reserves);
    if (micros === 0) return;
    const { db } = this.#deps;
    const ceiling = this.#ceiling(Date.now());
    const [found] = await db.all<{ isOver: number; isBeyond: number }>(
      sql`SELECT ${over} AS isOver, ${isBeyond(ceiling, micros)} AS isBeyond`,
    );
    if (found?.isOver || !found?.isBeyond) return;
    const [standing] = await selectStanding(db, ceiling);
    if (standing) return this.#refuse(ceiling, standing);
  }

  /** Runs an act after its intent was stored. A call that it does not make costs nothing. */
  async during<T>(act: () => Promise<T>): Promise<T> {
    this.#covered = this.#reserved;
    try {
      return await act();
    } finally {
      const unused = this.#covered;
      this.#covered = null;
      if (unused && microsOf(unused.charges) > 0) await this.#write(release(this.#deps.db, this.#payer, unused));
    }
  }

  /** Wraps `send`: a call that has a price is reserved before it, and settled after it. */
  over(send: Send): Send {
    const pricing = this.#pricing;
    if (!pricing) return (call) => this.#sendFree(send, call);
    return async (call) => {
      const most = addedUp(pricing.mostOf(call));
      if (most.length === 0) return send(call);
      const at = this.#takeCover(most);
      const paid = at === null ? await this.#reserve(call, pricing) : { call, charges: most, at, isLimited: false };
      const answer = await send(paid.call);
      // A lost answer may have been charged.
      const charged = answer.kind === "answered" ? addedUp(pricing.chargesOf(paid.call, answer)) : most;
      if (paid.charges.length === 0) await this.#countRead(charged, paid.at);
      else if (answer.kind === "answered") await this.#settle(paid, charged);
      return answer;
    };
  }

  /** Near the ceiling, a job that looks something up waits longer before it does so again. */
  slowedDown(error: unknown): unknown {
    if (!this.#isNearCeiling || !(error instanceof RetryLater) || error instanceof CostCeilingReached) return error;
    return new RetryLater(error.seconds * SLOWER, error.wait, error.also, error.freeSeconds * SLOWER);
  }

  /** On a free platform, acts are counted with their intent, reads with the end of the delivery. */
  #sendFree(send: Send, call: CallRequest): ReturnType<Send> {
    const { projectId, platform } = this.#payer;
    if (call.method === "GET") this.#deps.freeReads.add(projectId, platform);
    return send(call);
  }

  #ceiling(at: number): Ceiling {
    return ceilingOf(this.#deps.config, this.#payer.projectId, at);
  }

  #takeCover(most: readonly Charge[]): number | null {
    const covered = this.#covered;
    if (covered === null) return null;
    const charges = [...covered.charges];
    for (const { operation, micros } of most) {
      const place = charges.findIndex((one) => one.operation === operation && one.micros >= micros);
      if (place === -1) return null;
      charges.splice(place, 1);
    }
    this.#covered = { ...covered, charges };
    return covered.at;
  }

  /**
   * A page of a list may reserve a tenth of what is left: more would keep other calls waiting meanwhile, and
   * stay reserved if the delivery dies. The smallest page may reserve everything.
   */
  async #reserve(call: CallRequest, pricing: Pricing): Promise<PaidCall> {
    const hasPages = isPage(call, pricing);
    const whole = await this.#reserveIf(call, pricing, hasPages ? PAGES : 1);
    if (whole.kind === "reserved") return whole;
    const { standing, ceiling } = whole;
    if (!hasPages || standing.mostMicros === null) return this.#refuse(ceiling, standing);
    const left = standing.mostMicros - standing.spentMicros;
    const part = await this.#reserveIf(pricing.within(call, left / PAGES), pricing, 1);
    return part.kind === "reserved" ? part : this.#refuse(part.ceiling, part.standing);
  }

  /**
   * Reserves the call if so many of them fit under the ceiling: all of its charges, or none. Without a
   * ceiling no page of a list is reserved: most polls find nothing, and each would write two rows. A read
   * that names its objects usually returns them: it is reserved, and nothing is left to write after it.
   */
  async #reserveIf(call: CallRequest, pricing: Pricing, times: number) {
    const { db } = this.#deps;
    const at = Date.now();
    const ceiling = this.#ceiling(at);
    const charges = addedUp(pricing.mostOf(call));
    const micros = microsOf(charges);
    const isRead = call.method === "GET";
    const fits = sql`NOT ${isBeyond(ceiling, micros * times)}`;
    const isUnsure = isRead && isPage(call, pricing);
    const condition = isUnsure ? sql`${isLimited(ceiling)} AND ${fits}` : fits;
    const { before } = await writeTogether(db, {
      before: selectStanding(db, ceiling),
      reserved: reserve(db, this.#payer, charges, { at, condition }),
      // What a read costs is known after it.
      notices: isRead ? [] : noticesOf(db, ceiling, at),
    });
    const [standing] = before;
    const mostMicros = standing?.mostMicros ?? null;
    if (standing && mostMicros !== null) {
      this.#isNearCeiling ||= isNear(standing);
      if (standing.spentMicros + micros * times > mostMicros) return { kind: "beyond", ceiling, standing } as const;
    }
    const reserved = isUnsure && mostMicros === null ? [] : charges;
    return { kind: "reserved", call, charges: reserved, at, isLimited: mostMicros !== null } as const;
  }

  async #refuse(ceiling: Ceiling, standing: Standing): Promise<never> {
    await runBatch(this.#deps.db, noticesOf(this.#deps.db, ceiling, Date.now(), true));
    throw new CostCeilingReached(ceiling, standing);
  }

  /** A read that was not reserved. One that cost nothing is counted with the end of the delivery. */
  async #countRead(charged: readonly Charge[], at: number): Promise<void> {
    const { projectId, platform } = this.#payer;
    if (charged.length > 0) await this.#write(reserve(this.#deps.db, this.#payer, charged, { at }));
    else this.#deps.freeReads.add(projectId, platform);
  }

  #settle({ call, isLimited, ...reserved }: PaidCall, charged: readonly Charge[]): Promise<void> {
    const { db } = this.#deps;
    const notices = isLimited && call.method === "GET" ? noticesOf(db, this.#ceiling(reserved.at), Date.now()) : [];
    return this.#write([...settle(db, this.#payer, reserved, charged), ...notices]);
  }

  /** An error here must not lose the answer of the call: the whole amount stays. */
  async #write(statements: readonly Statement[]): Promise<void> {
    try {
      await runBatch(this.#deps.db, statements);
    } catch (error) {
      this.#deps.log.error("cost_unsettled", error, { platform: this.#payer.platform });
    }
  }
}

/** Whether a smaller page of the same list could be read. */
const isPage = (call: CallRequest, pricing: Pricing): boolean => pricing.within(call, 0) !== call;

/** How much less often reading is done near the ceiling. */
export const SLOWER = 4;
/** A page of a list reserves at most this part of what is left. */
const PAGES = 10;

type BillingDeps = Pick<Deps, "log" | "config" | "freeReads"> & { readonly db: Db };

/** An act, and the other acts of its job that are reserved together with it. */
export interface PlannedAct {
  /** Null: it is not counted. */
  readonly act: PricedAct | null;
  /** Null: it is reserved alone. */
  readonly series?: Series | null;
}

/** Acts that are reserved together: with the first intent of the first of them. */
export type Series =
  | { readonly kind: "first"; readonly others: readonly PricedAct[] }
  | { readonly kind: "further"; readonly reservedAt: number };

export interface Plan {
  readonly own: Bill;
  readonly reserves: Bill;
  /** When it was reserved with an earlier act; null: now. */
  readonly at: number | null;
}

type PaidCall = Reserved & {
  readonly call: CallRequest;
  /** Whether the project has a ceiling. */
  readonly isLimited: boolean;
};

/** What acts take. Those on a free platform are counted all the same. */
export function billOf(pricing: Pricing | undefined, acts: readonly PricedAct[]): Bill {
  return acts.flatMap((act) => {
    const [own, ...others] = pricing?.costOfAct(act) ?? [{ operation: FREE[act.kind], units: 1, micros: 0 }];
    return [{ ...own, bytes: act.bytes ?? 0 }, ...others];
  });
}

const FREE: Readonly<Record<PricedAct["kind"], string>> = {
  post: "post_create",
  comment: "comment_create",
  answer: "comment_create",
  message: "message_create",
};
