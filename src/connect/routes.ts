import { AppError } from "../core/errors.ts";
import type { Api } from "../http/api.ts";
import { idempotently } from "../http/idempotency.ts";
import { operation } from "../http/operation.ts";
import { apiOrigin } from "../http/origin.ts";
import {
  ConnectAnswer,
  ConnectBody,
  ConnectStatusQuery,
  ConnectStatusView,
  EXAMPLE_SESSION,
  EXAMPLE_STATUS,
  NoSession,
  toStatusView,
} from "./schema.ts";
import { connectStatus, findCreatedSession, openSession } from "./session.ts";

export function connectRoutes(app: Api): void {
  app.openapi(
    operation({
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
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const body = c.req.valid("json");
      const { token, secondsLeft } = await idempotently(
        c,
        body,
        (idempotency) => openSession(deps, caller, body, idempotency),
        (stored, replace) => findCreatedSession(deps, caller, body, { stored, replace }),
      );
      const url = `${apiOrigin(c)}/connect/${token}`;
      return c.json({ status: true, connect_url: url, connect_token: token, expires_in: secondsLeft } as const, 200);
    },
  );

  app.openapi(
    operation({
      id: "connectStatus",
      method: "get",
      path: "/social/connect-status",
      tag: "Channels",
      permission: "any",
      summary: "Poll connection status",
      description:
        "Returns the status of a connection session. An unknown token is a 404 with a message; an expired session is a 404 with exactly `status`, `expired` and `connect_status`.",
      query: ConnectStatusQuery,
      answer: ConnectStatusView,
      answerDescription: "The session's state.",
      example: { ...EXAMPLE_STATUS, channel_ids: [...EXAMPLE_STATUS.channel_ids] },
      notFound: NoSession,
    }),
    async (c) => {
      const { connect_token } = c.req.valid("query");
      const found = await connectStatus(c.var.deps, c.var.caller, connect_token);
      switch (found.kind) {
        case "unknown":
          throw new AppError("not_found", "There is no connection session with this connect_token in this project.");
        case "expired":
          return c.json({ status: false, expired: true, connect_status: "expired" } as const, 404);
        case "open":
          return c.json(toStatusView(found.token, found.progress), 200);
      }
    },
  );
}
