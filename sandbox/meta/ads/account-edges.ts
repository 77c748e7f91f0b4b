// Ad accounts and their edges other than ads: minimum budgets, Pages, Instagram accounts, audiences,
// beneficiaries.

import { z } from "zod";
import { type JsonObject, project, type Shape } from "../fields";
import { pageOf } from "../paging";
import { type GraphContext, parse, wholeNumber } from "../params";
import { type AdsWorld, looker, reading } from "./access";
import { AD_ACCOUNTS, accountView, findAdAccount, MONEY } from "./accounts";
import { settleAccount, spentByAccount } from "./delivery";
import { COMMON, Paging } from "./input";
import { GRAPH } from "./lists";
import { AUDIENCES } from "./places";
import { AdAccountShape, AudienceShape, InstagramUserShape, PageShape } from "./shapes";

const Listing = z.object({ ...COMMON, ...Paging });

function listed({ app }: AdsWorld, c: GraphContext, all: readonly JsonObject[], shape: Shape): JsonObject {
  const { fields, locale: _, ...paging } = parse(c, Listing);
  const view = (one: JsonObject) => project(one, shape, fields);
  return pageOf(c, { items: all, keyOf: ({ id }) => String(id), view, origin: GRAPH, isShort: app.isShort() }, paging);
}

export async function listAccounts(world: AdsWorld, c: GraphContext): Promise<JsonObject> {
  await looker(world, c);
  return listed(
    world,
    c,
    AD_ACCOUNTS.map(({ id }) => whole(world, id)),
    AdAccountShape,
  );
}

export async function readAccount(world: AdsWorld, c: GraphContext, act: string): Promise<JsonObject> {
  const { fields } = parse(c, z.object(COMMON));
  const { account } = await reading(world, c, act);
  return project(whole(world, account.id), AdAccountShape, fields);
}

function whole({ sandbox }: AdsWorld, id: string): JsonObject {
  settleAccount(sandbox, id);
  const account = findAdAccount(sandbox, id);
  return account ? accountView(account, spentByAccount(sandbox, id)) : {};
}

const EDGES = {
  minimum_budgets: async (world: AdsWorld, c: GraphContext, act: string): Promise<JsonObject> => {
    parse(c, Listing.extend({ bid_amount: wholeNumber.optional() }));
    const { account } = await reading(world, c, act);
    // All currencies, the account's own first, as on the real API.
    const { currency } = account;
    const { imp, high_freq, low_freq, video_views } = MONEY[currency].minimum;
    const budgets = {
      currency,
      min_daily_budget_imp: imp,
      min_daily_budget_high_freq: high_freq,
      min_daily_budget_low_freq: low_freq,
      min_daily_budget_video_views: video_views,
    };
    return { data: [budgets] };
  },
  promote_pages: async (world: AdsWorld, c: GraphContext, act: string): Promise<JsonObject> => {
    const { person } = await reading(world, c, act);
    const pages = person.pages.filter(({ tasks }) => tasks.includes("ADVERTISE") || tasks.includes("MANAGE"));
    const views = pages.map(({ id, name, tasks }) => ({ id, name, category: "Local business", tasks: [...tasks] }));
    return listed(world, c, views, PageShape);
  },
  instagram_accounts: async (world: AdsWorld, c: GraphContext, act: string): Promise<JsonObject> => {
    const { person } = await reading(world, c, act);
    const views = person.pages.flatMap(({ instagram, name }) => (instagram ? [{ ...instagram, name }] : []));
    return listed(world, c, views, InstagramUserShape);
  },
  customaudiences: async (world: AdsWorld, c: GraphContext, act: string): Promise<JsonObject> => {
    const { account } = await reading(world, c, act, "custom_audience");
    const own = AUDIENCES.filter(({ accountId }) => accountId === account.id);
    const views = own.map(({ id, name, people }) => ({
      id,
      name,
      account_id: account.id,
      subtype: "CUSTOM",
      approximate_count_lower_bound: Math.round(people * 0.9),
      approximate_count_upper_bound: Math.round(people * 1.1),
      delivery_status: { code: 200, description: "This audience is ready for use." },
      operation_status: { code: 200, description: "Normal" },
    }));
    return listed(world, c, views, AudienceShape);
  },
  dsa_recommendations: async (world: AdsWorld, c: GraphContext, act: string): Promise<JsonObject> => {
    parse(c, z.object(COMMON));
    const { account } = await reading(world, c, act);
    return { data: [{ recommendations: [account.name] }] };
  },
};

/** Handlers by edge name. */
export const accountEdges = { ...EDGES, connected_instagram_accounts: EDGES.instagram_accounts };
