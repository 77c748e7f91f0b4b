// Insights of a Threads profile and of its posts. Written from Meta's documentation.

import { Hono } from "hono";
import { z } from "zod";
import { accountDay, followersAt, openBooks, shownCounts } from "../books";
import { badParameter, GraphError, missingObject } from "../meta/errors";
import { daysIn, lifetime, metricsIn, series } from "../meta/insights";
import { type GraphEnv, moment, parse, text } from "../meta/params";
import { operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { findMedia } from "./store";
import { authenticate, misbehaviour, ownAccount, requireScope } from "./tokens";

const OF_POST = ["views", "likes", "replies", "reposts", "quotes", "shares"];
const OF_ACCOUNT = ["views", "likes", "replies", "reposts", "quotes", "clicks", "followers_count"];
/** 2024-04-13: there are no numbers from before. */
const FIRST_SECOND = 1_712_991_600;
const BEFORE = "since must be at least 1712991600";

const Asked = z.object({ metric: text.optional() });
const AskedOfAccount = Asked.extend({
  period: text.optional(),
  since: moment.optional(),
  until: moment.optional(),
});

export function insightsRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const faulty = operation<GraphEnv>(sandbox, "threads", "insights", misbehaviour(sandbox));

  app.get("/:media/insights", faulty, async (c) => {
    const token = await authenticate(sandbox, c);
    const { metric } = parse(c, Asked);
    requireScope(token, "threads_manage_insights");
    const names = offeredIn(sandbox, metric, OF_POST);
    const media = findMedia(sandbox, c.req.param("media"));
    if (media?.account_id !== token.accountId || !media) throw missingObject(c.req.param("media"));
    if (media.reposted !== null) return c.json({ data: [] });
    const { comments, ...counts } = shownCounts(openBooks(sandbox, "threads")(media.id) ?? {});
    return c.json(lifetime(media.id, names, { ...counts, replies: comments }));
  });

  app.get("/:user/threads_insights", faulty, async (c) => {
    const token = await authenticate(sandbox, c);
    const account = ownAccount(token, c.req.param("user"));
    const { metric, period, ...range } = parse(c, AskedOfAccount);
    requireScope(token, "threads_manage_insights");
    const names = offeredIn(sandbox, metric, OF_ACCOUNT);
    const hasRange = range.since !== undefined || range.until !== undefined;
    if (names.includes("followers_count") && hasRange)
      throw badParameter("The metric followers_count does not support since and until");
    if (names.includes("views") && period !== "day") throw badParameter("The metric views requires the period day");
    if ((range.since ?? sandbox.now()) < FIRST_SECOND * 1000) throw badParameter(BEFORE);
    const days = daysIn(range, sandbox.now());
    const data = names.map((name) => {
      if (name === "views") return series(account, name, days, (day) => accountDay(account, day, sandbox.now()).views);
      const value =
        name === "followers_count"
          ? followersAt(account, sandbox.now())
          : days.reduce((sum, day) => sum + accountDay(account, day, sandbox.now()).interactions, 0);
      return { name, period: "day", total_value: { value } };
    });
    return c.json({ data });
  });
  return app;
}

/** A name that is not offered fails the whole call, by code 100 or as an unknown error. */
function offeredIn(sandbox: Sandbox, metric: string | undefined, offered: readonly string[]): string[] {
  try {
    return metricsIn(metric, offered, (name) => `metric ${name} is not supported`);
  } catch (error) {
    const isVague = sandbox.settings.all.threads_unknown_metric === "1";
    throw isVague && error instanceof GraphError && error.code === 100
      ? new GraphError(1, "An unknown error occurred", { status: 500 })
      : error;
  }
}
