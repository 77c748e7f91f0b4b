// `/{id}` of the four kinds: read, update, delete.

import { z } from "zod";
import type { Sandbox } from "../../sandbox";
import { missingObject } from "../errors";
import type { JsonObject } from "../fields";
import { type GraphContext, parse } from "../params";
import { type AdsWorld, reading, writing } from "./access";
import { changeAdSet } from "./ad-sets";
import { changeAd } from "./ads";
import { changeCampaign } from "./campaigns";
import { changeCreative } from "./creatives";
import { settle } from "./delivery";
import { COMMON } from "./input";
import { type AdKind, adSets, ads, campaigns, creatives, kindOf } from "./store";
import { shown } from "./views";

const Reading = z.object(COMMON);

export async function readNode(world: AdsWorld, c: GraphContext, id: string): Promise<JsonObject> {
  const { fields } = parse(c, Reading);
  const { kind, accountId } = named(world.sandbox, id, "get");
  await reading(world, c, accountId);
  settleFor(world.sandbox, kind, id);
  return shown(world.sandbox, kind, id, fields);
}

const CHANGES = { campaign: changeCampaign, adset: changeAdSet, creative: changeCreative, ad: changeAd } as const;

export async function changeNode(world: AdsWorld, c: GraphContext, id: string): Promise<JsonObject> {
  const { kind, accountId } = named(world.sandbox, id, "post");
  await CHANGES[kind](world, c, { id, accountId });
  const { fields } = c.var.params;
  return { success: true, ...(typeof fields === "string" ? shown(world.sandbox, kind, id, fields) : {}) };
}

export async function deleteNode(world: AdsWorld, c: GraphContext, id: string): Promise<JsonObject> {
  const { sandbox } = world;
  parse(c, Reading);
  const { kind, accountId } = named(sandbox, id, "delete");
  await writing(world, c, accountId);
  settleFor(sandbox, kind, id);
  const status = "DELETED" as const;
  if (kind === "campaign") campaigns.update(sandbox, { ...campaigns.get(sandbox, id), status });
  else if (kind === "adset") adSets.update(sandbox, { ...adSets.get(sandbox, id), status });
  else if (kind === "creative") creatives.update(sandbox, { ...creatives.get(sandbox, id), status });
  else ads.update(sandbox, { ...ads.get(sandbox, id), status });
  return { success: true };
}

export function named(sandbox: Sandbox, id: string, method: string): { kind: AdKind; accountId: string } {
  const found = kindOf(sandbox, id);
  if (!found) throw missingObject(id, method);
  return found;
}

/** Books the delivery of the campaign that an object belongs to. */
export function settleFor(sandbox: Sandbox, kind: AdKind, id: string): void {
  if (kind === "creative") return;
  const row = kind === "adset" ? adSets.find(sandbox, id) : kind === "ad" ? ads.find(sandbox, id) : null;
  settle(sandbox, row?.campaign_id ?? id);
}
