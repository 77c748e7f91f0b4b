import { z } from "zod";
import type { AppContext, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import { type GraphApi, get, graphClient } from "./graph.ts";

/**
 * What our app is told of a token of its own (`debug_token`, with the app's token `id|secret`).
 *
 * - A token that works may still be of no use: 90 days after the person's consent "data access" ends, and
 *   what is read comes back empty or refused. Neither an exchange nor a Page's token without an end changes
 *   that; a new login does.
 */
const Described = z.object({
  data: z.object({
    is_valid: z.boolean(),
    user_id: PlatformId.optional(),
    /** Epoch seconds; 0 for no end. */
    data_access_expires_at: z.number().optional(),
  }),
});

export interface TokenFacts {
  readonly kind: "facts";
  readonly isValid: boolean;
  /** Whose login it is; null where that is not told. */
  readonly personId: string | null;
  /** When the person's consent ends, epoch milliseconds; null where no end is told. */
  readonly reconnectBy: number | null;
}

export async function readTokenFacts(api: GraphApi, context: AppContext, token: string): Promise<TokenFacts | Failure> {
  const graph = graphClient(api, context, appToken(context));
  const described = await graph.read(get("debug_token", { input_token: token }), Described);
  if (described.kind === "failed") return described;
  const { is_valid: isValid, user_id: personId = null, data_access_expires_at: seconds = 0 } = described.value.data;
  return { kind: "facts", isValid, personId, reconnectBy: seconds === 0 ? null : seconds * 1000 };
}

/** The app's own token, which opens no person's data. */
export const appToken = ({ app }: AppContext): string => `${app.id}|${app.secret}`;
