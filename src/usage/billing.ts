import { type SQL, sql } from "drizzle-orm";
import { type Db, runBatch, type Statement, writeTogether } from "../db/client.ts";
import { RetryLater } from "../jobs/outcomes.ts";
import { addedUp, type Charge, microsOf, type PricedAct, type Pricing } from "../platforms/pricing.ts";
import type { Send } from "../platforms/request.ts";
import type { Deps } from "../service/deps.ts";
import { type Ceiling, CostCeilingReached, ceilingOf, isBeyond, isNear, noticesOf, selectStanding } from "./ceiling.ts";
import { type Bill, type Payer, type Reserved, reserve, settle } from "./store.ts";

/**
 * Counts and reserves what the calls of one delivery or request cost. It wraps the `send` of every call to a
 * platform as a channel, so no paid call escapes it.
 *
 *   an act:    reserved in the transaction of its intent ──▶ call ──▶ settled
 *   any other: reserved by a statement of its own        ──▶ call ──▶ settled
 *
 * A call whose answer is lost stays reserved: it may have been charged. A call that would pass the project's
 * ceiling is not made: `CostCeilingReached` ends the delivery.
 */
export class Billing {
  readonly #deps: BillingDeps;
  readonly #payer: Payer;
  readonly #pricing: Pricing | undefined;
  /** What was reserved with the last intent. */
  #reserved: Reserved | null = null;
  /** The same while the act runs, until its call is made. */
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

  /** What an act takes. One on a free platform is counted all the same. */
  billOf(act: PricedAct, bytes: number): Bill {
    const charge = this.#pricing?.costOfAct(act) ?? { operation: FREE[act.kind], units: 1, micros: 0 };
    return { charges: [charge], bytes };
  }

  /** Forbids the intent of an act that would pass the ceiling; null if it costs nothing. */
  forbids({ charges }: Bill): SQL | null {
    const micros = microsOf(charges);
    return micros > 0 ? isBeyond(this.#ceiling(Date.now()), micros) : null;
  }

  /** Statements for the transaction that stores the intent of an act; `intended` holds once it is stored. */
  reserveAct(bill: Bill, intended: SQL): Statement[] {
    const at = Date.now();
    this.#reserved = { charges: bill.charges, at };
    const { db } = this.#deps;
    const notices = microsOf(bill.charges) > 0 ? noticesOf(db, this.#ceiling(at), at) : [];
    return [...reserve(db, this.#payer, bill, { at, condition: intended }), ...notices];
  }

  /**
   * After an intent was forbidden: ends the delivery if the ceiling is why. `over`: it is no longer wanted.
   */
  async requireRoom(bill: Bill, over: SQL): Promise<void> {
    const micros = microsOf(bill.charges);
    if (micros === 0) return;
    const { db } = this.#deps;
    const ceiling = this.#ceiling(Date.now());
    const [found] = await db.all<{ isOver: number; isBeyond: number }>(
      sql`SELECT ${over} AS isOver, ${isBeyond(ceiling, micros)} AS isBeyond`,
    );
    if (found?.isOver || !found?.isBeyond) return;
    const [standing] = await selectStanding(db, ceiling);
    if (standing) throw new CostCeilingReached(db, ceiling, standing);
  }

  /** Runs an act after its intent was stored. An act that makes no call costs nothing. */
  async during<T>(act: () => Promise<T>): Promise<T> {
    this.#covered = this.#reserved;
    try {
      return await act();
    } finally {
      const unused = this.#covered;
      this.#covered = null;
      if (unused && microsOf(unused.charges) > 0) await this.#settle(unused, []);
    }
  }

  /** Wraps `send`: a call that has a price is reserved before it, and settled after it. */
  over(send: Send): Send {
    const pricing = this.#pricing;
    if (!pricing) return send;
    return async (call) => {
      const most = addedUp(pricing.mostOf(call));
      if (most.length === 0) return send(call);
      const at = this.#takeCover(most) ?? (await this.#reserve(most));
      const answer = await send(call);
      // A lost answer may have been charged.
      if (answer.kind === "answered") {
        await this.#settle({ charges: most, at }, addedUp(pricing.chargesOf(call, answer)));
      }
      return answer;
    };
  }

  /** Near the ceiling, a job that looks something up waits longer before it does so again. */
  slowedDown(error: unknown): unknown {
    if (!this.#isNearCeiling || !(error instanceof RetryLater) || error instanceof CostCeilingReached) return error;
    return new RetryLater(error.seconds * SLOWER, error.wait, error.also, error.isFree);
  }

  #ceiling(at: number): Ceiling {
    return ceilingOf(this.#deps.config, this.#payer.projectId, at);
  }

  #takeCover(most: readonly Charge[]): number | null {
    const covered = this.#covered;
    if (covered === null || !isWithin(most, covered.charges)) return null;
    this.#covered = null;
    return covered.at;
  }

  async #reserve(charges: readonly Charge[]): Promise<number> {
    const { db } = this.#deps;
    const at = Date.now();
    const ceiling = this.#ceiling(at);
    // Each charge is reserved only if it fits together with those after it: all of them, or none.
    const reserved = charges.flatMap((charge, index) => {
      const fits = sql`NOT ${isBeyond(ceiling, microsOf(charges.slice(index)))}`;
      return reserve(db, this.#payer, { charges: [charge] }, { at, condition: fits });
    });
    const before = selectStanding(db, ceiling);
    const answers = await writeTogether(db, { before, reserved, notices: noticesOf(db, ceiling, at) });
    const [standing] = answers.before;
    if (!standing) return at;
    const { spentMicros, mostMicros } = standing;
    if (mostMicros !== null && spentMicros + microsOf(charges) > mostMicros) {
      throw new CostCeilingReached(db, ceiling, standing);
    }
    this.#isNearCeiling ||= isNear(standing);
    return at;
  }

  /** An error here must not lose the answer of the call: the whole amount stays. */
  async #settle(reserved: Reserved, charged: readonly Charge[]): Promise<void> {
    if (microsOf(charged) === microsOf(reserved.charges)) return;
    try {
      await runBatch(this.#deps.db, settle(this.#deps.db, this.#payer, reserved, charged));
    } catch (error) {
      this.#deps.log.error("cost_unsettled", error, { platform: this.#payer.platform });
    }
  }
}

/** How much less often reading is done near the ceiling. */
export const SLOWER = 4;

type BillingDeps = Pick<Deps, "log" | "config"> & { readonly db: Db };

const FREE: Readonly<Record<PricedAct["kind"], string>> = {
  post: "post_create",
  comment: "comment_create",
  answer: "comment_create",
  message: "message_create",
};

function isWithin(most: readonly Charge[], covered: readonly Charge[]): boolean {
  return most.every(({ operation, micros }) =>
    covered.some((one) => one.operation === operation && one.micros >= micros),
  );
}
