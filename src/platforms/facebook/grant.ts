import { z } from "zod";
import { interpretRead } from "../answers.ts";
import type { AccountContext, AppContext, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import type { Inspected, RevokeOutcome } from "../login.ts";
import { graphDialect } from "../meta/errors.ts";
import { get, graphClient, Success } from "../meta/graph.ts";
import { down } from "../outcomes.ts";
import { FACEBOOK } from "./api.ts";

/**
 * What a person has allowed our app at Facebook, as the app itself sees it: `debug_token` tells of any of its tokens, and the app may
 * take back all that a person allowed (developers.facebook.com/docs/graph-api/reference/user/permissions, checked 2026-11-21: with a
 * user's token or the app's).
 *
 * - A Page's token has no end, but 90 days after the login "data access" does: reads fail or come back empty from then on, until the
 *   person consents again.
 */
const Described = z.object({
  data: z.object({
    is_valid: z.boolean(),
    user_id: PlatformId.optional(),
    /** Epoch seconds; 0 for no end. */
    data_access_expires_at: z.number().optional(),
    error: z.object({ message: z.string().optional() }).optional(),
  }),
});
type Described = z.output<typeof Described>["data"];

const graphOfApp = (context: AppContext) => graphClient(FACEBOOK, context, `${context.app.id}|${context.app.secret}`);

async function describe(context: AppContext, token: string): Promise<(Described & { readonly kind: "ok" }) | Failure> {
  const described = await graphOfApp(context).read(get("debug_token", { input_token: token }), Described);
  return described.kind === "failed" ? described : { kind: "ok", ...described.value.data };
}

/** Whose login a token is, and until when it may read; nulls where Facebook does not say: a login does not depend on it. */
export async function readLogin(
  context: AppContext,
  token: string,
): Promise<{ readonly personId: string | null; readonly endsAt: number | null }> {
  const described = await describe(context, token);
  if (described.kind === "failed") return { personId: null, endsAt: null };
  return { personId: described.user_id ?? null, endsAt: endOf(described) };
}

function endOf({ data_access_expires_at: seconds = 0 }: Described): number | null {
  return seconds === 0 ? null : seconds * 1000;
}

/** Whether the token works. That our own app is refused says nothing of it. */
export async function inspect(context: AccountContext): Promise<Inspected | Failure> {
  const described = await describe(context, context.credentials.accessToken);
  if (described.kind === "failed") return described.reason === "throttled" ? described : down(described.message);
  if (described.is_valid) return { kind: "alive", endsAt: endOf(described) };
  return { kind: "failed", reason: "disconnected", message: "Facebook no longer accepts the connection." };
}

/** Takes back all that the person of the login has allowed our app. */
export async function revoke(context: AccountContext): Promise<RevokeOutcome> {
  const described = await describe(context, context.credentials.accessToken);
  if (described.kind === "failed") return described;
  if (!described.is_valid || described.user_id === undefined) return { kind: "revoked" };
  const answer = await graphOfApp(context).request({ method: "DELETE", path: `${described.user_id}/permissions` });
  const outcome = interpretRead(graphDialect(FACEBOOK), answer, Success, context.now);
  return outcome.kind === "failed" ? outcome : { kind: "revoked" };
}
