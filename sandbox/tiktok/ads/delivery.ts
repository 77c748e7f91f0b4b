// Ad delivery: an ad that shows spends at an even rate. Spend is computed on demand, from event to event
// since the last computation. An event is anything that starts or ends by itself: a review, a schedule, an
// authorization, a day, an hour, a budget, the balance.

import type { Sandbox } from "../../sandbox";
import { type Advertiser, writeBook } from "./advertisers";
import { type Ad, type Adgroup, addSpent, type Picture, pictureOf } from "./picture";
import { isDelivering, leftOfAdgroup, leftOfCampaign } from "./standing";
import { DAY_MS, HOUR_MS, hourOf, localDayAround } from "./times";

/** An ad that shows, and its spend rate in minor units per millisecond. */
interface Flow {
  readonly ad: Ad;
  readonly rate: number;
}

/** Books the spend since the last computation. Call this before any read or change. */
export function settle(sandbox: Sandbox, advertiser: Advertiser): void {
  const picture = pictureOf(sandbox, advertiser);
  const { book } = picture;
  const now = sandbox.now();
  const speed = sandbox.settings.all.tiktok_ads_speed;
  const spent = new Map<string, { adId: string; hour: number; amount: number }>();
  // If the clock was set back, nothing is spent twice; computation continues from here.
  let at = Math.min(book.settledAt, now);
  let midnight = localDayAround(at, advertiser.timezone).to;
  while (at < now) {
    const flows = flowsOf(picture, at, speed);
    const until = Math.min(now, midnight, nextTurn(picture, flows, at));
    for (const { ad, rate } of flows) {
      const amount = Math.min(rate * (until - at), roomOf(picture, ad));
      if (amount <= 0) continue;
      book.balance -= amount;
      addSpent(ad, { total: amount, today: amount });
      const hour = hourOf(at);
      const key = `${ad.row.id} ${hour}`;
      spent.set(key, { adId: ad.row.id, hour, amount: (spent.get(key)?.amount ?? 0) + amount });
    }
    at = until;
    if (at < midnight) continue;
    beginDay(picture);
    midnight = localDayAround(at, advertiser.timezone).to;
  }
  book.settledAt = now;
  writeBook(sandbox, advertiser, book);
  for (const { adId, hour, amount } of spent.values()) {
    sandbox.db.run(
      `INSERT INTO tiktok_ads_hours (ad_id, hour, spent) VALUES (?1, ?2, ?3)
       ON CONFLICT (ad_id, hour) DO UPDATE SET spent = spent + ?3`,
      adId,
      hour,
      amount,
    );
  }
}

function beginDay({ campaigns, adgroups }: Picture): void {
  for (const { spent } of [...campaigns, ...adgroups]) spent.today = 0;
}

const roomOf = ({ book }: Picture, { adgroup }: Ad): number =>
  Math.min(book.balance, leftOfAdgroup(adgroup), leftOfCampaign(adgroup.campaign));

function flowsOf(picture: Picture, at: number, speed: number): Flow[] {
  const showing = picture.ads.filter((ad) => isDelivering(picture, ad, at));
  return showing.map((ad) => {
    const { adgroup } = ad;
    const sharers = showing.filter((one) =>
      adgroup.campaign.spec.budget_optimize_on ? one.adgroup.campaign === adgroup.campaign : one.adgroup === adgroup,
    );
    return { ad, rate: (paceOf(adgroup) * speed) / sharers.length };
  });
}

/** Minor units per millisecond that spend the budget evenly over its time. */
function paceOf({ row, spec, campaign }: Adgroup): number {
  const isShared = campaign.spec.budget_optimize_on;
  const budget = (isShared ? campaign.row.budget : row.budget) ?? 0;
  const mode = isShared ? campaign.spec.budget_mode : spec.budget_mode;
  // A lifetime budget without an end date is spent within 30 days.
  const length = spec.endsAt === null ? 30 * DAY_MS : spec.endsAt - spec.startsAt;
  return budget / (mode === "BUDGET_MODE_TOTAL" ? length : DAY_MS);
}

/** The next time after `at` when the delivery changes, apart from day boundaries. */
function nextTurn(picture: Picture, flows: readonly Flow[], at: number): number {
  const { adgroups, ads, book } = picture;
  const times = [
    ...adgroups.flatMap(({ spec }) => [spec.startsAt, spec.endsAt ?? 0]),
    ...ads.flatMap(({ row, loss }) => [row.review_until ?? 0, loss.from]),
    ...(flows.length > 0 ? [hourOf(at) + HOUR_MS] : []),
    ...emptyingTimes(book.balance, flows, at),
    ...flows.flatMap(({ ad: { adgroup } }) => [
      ...emptyingTimes(
        leftOfAdgroup(adgroup),
        flows.filter((one) => one.ad.adgroup === adgroup),
        at,
      ),
      ...emptyingTimes(
        leftOfCampaign(adgroup.campaign),
        flows.filter((one) => one.ad.adgroup.campaign === adgroup.campaign),
        at,
      ),
    ]),
  ];
  return Math.min(...times.filter((time) => time > at));
}

function emptyingTimes(left: number, flows: readonly Flow[], at: number): number[] {
  const rate = flows.reduce((sum, flow) => sum + flow.rate, 0);
  return rate > 0 ? [at + Math.max(1, Math.ceil(left / rate))] : [];
}
