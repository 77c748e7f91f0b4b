import { z } from "zod";
import type { AccountContext, Failure } from "../context.ts";
import { type GraphClient, get, graphClient } from "../meta/graph.ts";
import { rejected } from "../outcomes.ts";
import { graphOf, loginOf, VIA_FACEBOOK } from "./api.ts";

/**
 * The sender of messages and the receiver of events. With Facebook Login it is the linked Page, with the
 * Page's own token; with Instagram Login it is the account itself. The service stores the person's token,
 * which returns the Page's token in a call.
 */
export interface Node {
  readonly kind: "node";
  readonly id: string;
  readonly graph: GraphClient;
}

const Page = z.object({ access_token: z.string().min(1).nullish() });

export async function nodeOf(context: AccountContext): Promise<Node | Failure> {
  const { account } = context;
  if (loginOf(account) === "instagram") return { kind: "node", id: account.id, graph: graphOf(context) };
  const { page_id: id } = account.attributes;
  if (typeof id !== "string") return rejected("The account's Facebook Page is unknown. Reconnect the account.");
  const page = await graphOf(context).read(get(id, { fields: "access_token" }), Page);
  if (page.kind === "failed") return page;
  const token = page.value.access_token;
  if (token) return { kind: "node", id, graph: graphClient(VIA_FACEBOOK, context, token) };
  const message =
    "Facebook gives no access to the Page that the account is linked to. Ask an admin of the Page for a role on it, then connect again.";
  return { kind: "failed", reason: "permission_missing", message };
}
