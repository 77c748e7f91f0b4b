import { z } from "zod";
import type { AppContext, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import { type GraphApi, get, graphClient } from "./graph.ts";

/**
 * Facts about a token of our app (`debug_token`, with the app's token `id|secret`).
 *
 * - A working token may be useless: 90 days after the person's consent "data access" ends, and reads return
 *   nothing or are refused. Neither an exchange nor a Page token without expiry changes that, only a login.
 */
const Described = z.object({
  data: z.object({
    is_valid: z.boolean(),
    user_id: PlatformId.optional(),
    /** Epoch seconds; 0 for no end. */
    data_access_expires_at: z.number().optional(),
  }),
});

const Me = z.object({ id: PlatformId });

export interface TokenFacts {
  readonly kind: "facts";
  readonly isValid: boolean;
  /** The person of the login; null if Meta omits it. */
  readonly personId: string | null;
  /** When the person's consent expires, epoch milliseconds; null if there is no expiry. */
  readonly reconnectBy: number | null;
}

export async function readTokenFacts(api: GraphApi, context: AppContext, token: string): Promise<TokenFacts | Failure> {
  const graph = graphClient(api, context, appToken(context));
  const described = await graph.read(get("debug_token", { input_token: token }), Described);
  if (described.kind === "failed") return described;
  const { is_valid: isValid, user_id: personId = null, data_access_expires_at: seconds = 0 } = described.value.data;
  return { kind: "facts", isValid, personId, reconnectBy: seconds === 0 ? null : seconds * 1000 };
}

/**
 * Whose login the person's token is, and until when it may read. Meta reports that a person removed our app
 * by their id in it: where `debug_token` omits that, the token's own `me` has it. Null if neither answers,
 * for a login works without; such a report then finds no channel.
 */
export async function readLogin(
  api: GraphApi,
  context: AppContext,
  token: string,
): Promise<Pick<TokenFacts, "personId" | "reconnectBy">> {
  const facts = await readTokenFacts(api, context, token);
  const { personId, reconnectBy } = facts.kind === "facts" ? facts : { personId: null, reconnectBy: null };
  if (personId !== null) return { personId, reconnectBy };
  const me = await graphClient(api, context, token).read(get("me", { fields: "id" }), Me);
  return { personId: me.kind === "ok" ? me.value.id : null, reconnectBy };
}

/** The app's own token, which reads no person's data. */
export const appToken = ({ app }: AppContext): string => `${app.id}|${app.secret}`;
