import { z } from "zod";
import type { Applied, Boost, Creation, Made } from "../../advertising.ts";
import type { AccountContext, Failure } from "../../context.ts";
import { down, rejected } from "../../outcomes.ts";
import { isGone } from "../errors.ts";
import { type GraphClient, get, post, Success } from "../graph.ts";
import { readAccount } from "./accounts.ts";
import { adsGraph } from "./api.ts";
import { isDeleted, type Kind, listOurs } from "./find.ts";

/**
 * Activates, pauses and deletes a boost. All calls set an absolute state, so a lost answer is retried. Only
 * Meta's own status, read afterwards, proves success.
 *
 * - `configured_status` shows what was set. `effective_status` is IN_PROCESS for minutes after any change.
 * - Pausing the campaign stops everything in it. Activation sets all three objects.
 * - "Not found" (100/33) is also the answer to an account without access. An object counts as deleted only if
 *   its ad account is readable.
 */
const Node = z.object({
  status: z.string().nullish(),
  configured_status: z.string().nullish(),
  effective_status: z.string().nullish(),
});
type Node = z.output<typeof Node>;

const DONE: Applied = { kind: "done" };

export async function enable(
  context: AccountContext,
  boost: Boost,
  made: Made,
  { mayHaveTwins }: Creation,
): Promise<Applied> {
  const { campaign, adset, ad } = made;
  if (campaign === undefined || adset === undefined || ad === undefined)
    return rejected("This boost was not created completely.");
  const cleared = mayHaveTwins ? await removeTwins(context, boost, made) : DONE;
  if (cleared.kind === "failed") return cleared;
  const graph = adsGraph(context);
  for (const id of [campaign, adset, ad]) {
    const switched = await graph.read(post(id, { status: "ACTIVE" }), Success);
    if (switched.kind === "failed") return switched;
  }
  for (const id of [campaign, adset, ad]) {
    const node = await graph.read(readNode(id), Node);
    if (node.kind === "failed") return node;
    if (isDeleted(node.value)) return rejected("A part of this boost was deleted at Meta.");
    if (!isOn(node.value)) return down("Meta does not show the boost as active yet.");
  }
  return DONE;
}

export async function pause(context: AccountContext, boost: Boost, { campaign }: Made): Promise<Applied> {
  if (campaign === undefined) return DONE;
  const off = await switchOff(context, boost, campaign);
  return off.kind === "failed" ? off : DONE;
}

/** Searches campaigns by name and by the known id: one created without an answer may be listed. */
export async function remove(context: AccountContext, boost: Boost, { campaign }: Made): Promise<Applied> {
  const known = campaign === undefined ? DONE : await removeCampaign(context, boost, campaign);
  if (known.kind === "failed") return known;
  const hits = await listOurs(context, boost, "campaign", {});
  if (hits.kind === "failed") return hits;
  for (const { id } of hits.ours.filter((one) => one.id !== campaign && !isDeleted(one))) {
    const removed = await removeCampaign(context, boost, id);
    if (removed.kind === "failed") return removed;
  }
  return DONE;
}

async function removeCampaign(context: AccountContext, boost: Boost, id: string): Promise<Applied> {
  const off = await switchOff(context, boost, id);
  // A campaign that cannot be paused may still be deleted.
  if (off.kind === "failed" && off.reason !== "rejected") return off;
  if (off.kind === "off" && off.isDeleted) return DONE;
  const deleted = await adsGraph(context).read({ method: "DELETE", path: id }, Success);
  if (deleted.kind === "failed") return deleted;
  const now = await readStatus(context, boost, id);
  if (now.kind === "failed") return now;
  return now.node === null || isDeleted(now.node) ? DONE : down("Meta does not show the campaign as deleted yet.");
}

type Off = { readonly kind: "off"; readonly isDeleted: boolean } | Failure;

async function switchOff(context: AccountContext, boost: Boost, id: string): Promise<Off> {
  const before = await readStatus(context, boost, id);
  if (before.kind === "failed") return before;
  if (before.node === null || isDeleted(before.node)) return { kind: "off", isDeleted: true };
  if (!isOn(before.node)) return { kind: "off", isDeleted: false };
  const switched = await adsGraph(context).read(post(id, { status: "PAUSED" }), Success);
  if (switched.kind === "failed") return switched;
  const after = await readStatus(context, boost, id);
  if (after.kind === "failed") return after;
  if (after.node !== null && isOn(after.node)) return down("Meta does not show the campaign as paused yet.");
  return { kind: "off", isDeleted: after.node === null || isDeleted(after.node) };
}

/**
 * Deletes duplicates with our name, which a call with a lost answer created. Paused, they spend nothing, but
 * a person might activate them.
 */
async function removeTwins(context: AccountContext, boost: Boost, made: Made): Promise<Applied> {
  const graph = adsGraph(context);
  for (const kind of ["campaign", "adset", "ad"] as const satisfies readonly Kind[]) {
    const hits = await listOurs(context, boost, kind, made);
    if (hits.kind === "failed") return hits;
    const twins = hits.ours.filter((one) => one.id !== made[kind] && !isDeleted(one) && !isOn(one));
    for (const { id } of twins) {
      const deleted = await graph.read({ method: "DELETE", path: id }, Success);
      // A duplicate that cannot be deleted does not block the boost.
      if (deleted.kind === "failed" && deleted.reason !== "rejected") return deleted;
    }
  }
  return DONE;
}

const readNode = (id: string) => get(id, { fields: "id,status,configured_status,effective_status" });

const isOn = ({ configured_status, status }: Partial<Node>): boolean => (configured_status ?? status) === "ACTIVE";

type Looked = { readonly kind: "looked"; readonly node: Node | null } | Failure;

/** Null for an object that certainly does not exist. */
async function readStatus(context: AccountContext, boost: Boost, id: string): Promise<Looked> {
  const graph: GraphClient = adsGraph(context);
  const answer = await graph.request(readNode(id));
  if (isGone(answer)) {
    const account = await readAccount(context, boost.adAccountId);
    return account.kind === "failed" ? account : { kind: "looked", node: null };
  }
  const node = graph.interpretRead(answer, Node);
  return node.kind === "failed" ? node : { kind: "looked", node: node.value };
}
