import { type Advertising, OBJECTIVES } from "../../advertising.ts";
import { accounts, floor } from "./accounts.ts";
import { type AdsProduct, OBJECTS } from "./api.ts";
import { CHANGEABLE, change } from "./change.ts";
import { createObject, prepare } from "./create-object.ts";
import { eligibility } from "./eligibility.ts";
import { find } from "./find.ts";
import { MOST_A_DAY, mostMinor } from "./money.ts";
import { countries, interests, reach } from "./search.ts";
import { read } from "./standing.ts";
import { enable, pause, remove } from "./switches.ts";

/**
 * Boosts of a product of Meta's. Calls: api.ts. Errors: errors.ts. Objects: create-object.ts, after a lost
 * answer find.ts, by their names (naming.ts). On, off, gone: switches.ts. Other terms: change.ts. How it
 * stands: standing.ts. Facts with dates: docs/platforms/meta-ads.md.
 */
export function metaAdvertising(product: AdsProduct): Advertising {
  return {
    types: product.types,
    objects: OBJECTS,
    // The lag of ad lists is not documented; minutes were seen at Meta's other products.
    lagSeconds: 600,
    mostMinor,
    mostADay: MOST_A_DAY,
    changeable: CHANGEABLE,
    objectives: OBJECTIVES.filter((objective) => product.goals[objective] !== undefined),
    accounts,
    eligibility: (context, post, adAccountId) => eligibility(product, context, post, adAccountId),
    floor,
    countries,
    interests,
    reach: (context, terms) => reach(product, context, terms),
    prepare: (context, boost) => prepare(product, context, boost),
    createObject: (context, boost, next) => createObject(product, context, boost, next),
    find,
    enable,
    pause,
    remove,
    change: (context, boost, { adset }, wanted) => change({ product, context }, boost, adset, wanted),
    read,
  };
}
