import { operation } from "../../http/operation.ts";
import { ConnectAnswer, ConnectBody, EXAMPLE_SESSION } from "../schema.ts";
import { findCreatedSession, openSession } from "../session.ts";

export const ConnectChannel = operation({
  id: "connectChannel",
  method: "post",
  path: "/social/connect-channel",
  tag: "Channels",
  permission: "add-channels",
  summary: "Start a channel connection",
  description:
    "Starts a connection session for one of your users. The user opens `connect_url`, chooses platforms and signs in. The user then returns to `redirectUrl` with `channel_id` (if there is exactly one), `channel_ids`, `platform`, `status` and `connect_token` appended.\n\nA repeat with the same `Idempotency-Key` returns the same session with its remaining seconds, or a new one after it expired.",
  idempotent: true,
  quotas: "connect sessions open",
  body: ConnectBody,
  answer: ConnectAnswer,
  answerDescription: "The session, open for `expires_in` seconds.",
  example: EXAMPLE_SESSION,
  run: async ({ deps, caller, origin, once }, { body }) => {
    const { token, secondsLeft } = await once(
      body,
      (idempotency) => openSession(deps, caller, body, idempotency),
      (stored, replace) => findCreatedSession(deps, caller, body, { stored, replace }),
    );
    const url = `${origin}/connect/${token}`;
    return { status: true, connect_url: url, connect_token: token, expires_in: secondsLeft } as const;
  },
});
