// The Marketing API: its routes on graph.facebook.com, for any app that provides tokens (`AdsApp`).

import { Hono } from "hono";
import { z } from "zod";
import type { Operation } from "../../faults";
import { operation } from "../../operation";
import { badParameter } from "../errors";
import type { JsonObject } from "../fields";
import { type GraphContext, type GraphEnv, parse, text } from "../params";
import { type AdsWorld, adsMisbehaviour, reading } from "./access";
import { accountEdges, listAccounts, readAccount } from "./account-edges";
import { createAdSet } from "./ad-sets";
import { createAd } from "./ads";
import { createCampaign } from "./campaigns";
import { createCreative } from "./creatives";
import { COMMON, unbracketed } from "./input";
import { insightsOfAccount, insightsOfNode } from "./insights";
import { type Edge, listOfAccount, listOfParent } from "./lists";
import { changeNode, deleteNode, named, readNode } from "./nodes";
import { deliveryEstimate, deliveryEstimateOfAdSet, reachEstimate, search } from "./search";
import type { AdObject } from "./store";
import { shown } from "./views";

type Answering = (c: GraphContext) => Promise<JsonObject>;

/** Patterns for an ad account and for an object of the four kinds; other ids belong to other products. */
const ACT = "/:act{act_\\d+}";
const NODE = "/:id{1202\\d{14}}";

const EDGES: readonly Edge[] = ["campaigns", "adsets", "adcreatives", "ads"];

export function adsRoutes(world: AdsWorld) {
  const { sandbox, app: own } = world;
  const app = new Hono<GraphEnv>();
  const misbehaviour = adsMisbehaviour(world);
  const add = (method: "get" | "post" | "delete", path: string, which: Operation, answer: Answering) =>
    app[method](path, operation<GraphEnv>(sandbox, own.platform, which, misbehaviour), async (c) => {
      c.set("params", unbracketed(c.var.params));
      return c.json(await answer(c));
    });
  const act = (c: GraphContext) => c.req.param("act") ?? "";
  const id = (c: GraphContext) => c.req.param("id") ?? "";

  add("get", "/me/adaccounts", "ads_read", (c) => listAccounts(world, c));
  add("get", "/search", "ads_search", (c) => search(world, c));

  add("get", ACT, "ads_read", (c) => readAccount(world, c, act(c)));
  for (const [edge, answer] of Object.entries(accountEdges)) {
    add("get", `${ACT}/${edge}`, "ads_read", (c) => answer(world, c, act(c)));
  }
  for (const edge of EDGES) add("get", `${ACT}/${edge}`, "ads_read", (c) => listOfAccount(world, c, act(c), edge));
  add("get", `${ACT}/insights`, "ads_insights", (c) => insightsOfAccount(world, c, act(c)));
  add("get", `${ACT}/reachestimate`, "ads_search", (c) => reachEstimate(world, c, act(c)));
  add("get", `${ACT}/delivery_estimate`, "ads_search", (c) => deliveryEstimate(world, c, act(c)));

  const made = async (c: GraphContext, making: Promise<AdObject | null>): Promise<JsonObject> => {
    const row = await making;
    if (!row) return { success: true };
    const { fields } = c.var.params;
    return { id: row.id, ...(typeof fields === "string" ? shown(sandbox, row.kind, row.id, fields) : {}) };
  };
  add("post", `${ACT}/campaigns`, "ads_campaign", (c) => made(c, createCampaign(world, c, act(c))));
  add("post", `${ACT}/adsets`, "ads_set", (c) => made(c, createAdSet(world, c, act(c))));
  add("post", `${ACT}/adcreatives`, "ads_creative", (c) => made(c, createCreative(world, c, act(c))));
  add("post", `${ACT}/ads`, "ads_ad", (c) => made(c, createAd(world, c, act(c))));

  add("get", NODE, "ads_read", (c) => readNode(world, c, id(c)));
  add("post", NODE, "ads_update", (c) => changeNode(world, c, id(c)));
  add("delete", NODE, "ads_delete", (c) => deleteNode(world, c, id(c)));
  for (const edge of EDGES) add("get", `${NODE}/${edge}`, "ads_read", (c) => listOfParent(world, c, id(c), edge));
  add("get", `${NODE}/insights`, "ads_insights", (c) => insightsOfNode(world, c, id(c)));
  add("get", `${NODE}/delivery_estimate`, "ads_search", (c) => deliveryEstimateOfAdSet(world, c, id(c)));
  add("get", `${NODE}/previews`, "ads_read", (c) => previews(world, c, id(c)));
  return app;
}

async function previews(world: AdsWorld, c: GraphContext, id: string): Promise<JsonObject> {
  const { ad_format } = parse(c, z.object({ ...COMMON, ad_format: text }));
  const { kind, accountId } = named(world.sandbox, id, "get");
  if (kind !== "ad") throw badParameter(`Tried accessing nonexisting field (previews) on a ${kind}`);
  await reading(world, c, accountId);
  const address = `${c.env.origin}/ads#${id}`;
  return { data: [{ body: `<iframe src="${address}" title="${ad_format}" width="320" height="560"></iframe>` }] };
}
