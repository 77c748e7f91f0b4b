import { AppError } from "../../core/errors.ts";
import { AbsentAnswer, operation } from "../../http/operation.ts";
import { ConnectStatusQuery, ConnectStatusView, EXAMPLE_STATUS, NoSession, toStatusView } from "../schema.ts";
import { connectStatus } from "../session.ts";

export const ConnectStatus = operation({
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
  run: async ({ deps, caller }, { query }) => {
    const { connect_token } = query;
    const found = await connectStatus(deps, caller, connect_token);
    switch (found.kind) {
      case "unknown":
        throw new AppError("not_found", "There is no connection session with this connect_token in this project.");
      case "expired":
        return new AbsentAnswer({ status: false, expired: true, connect_status: "expired" } as const);
      case "open":
        return toStatusView(found.token, found.progress);
    }
  },
});
