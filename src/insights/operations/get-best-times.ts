import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { readBestTimes } from "../read.ts";
import { BestTimesQuery, BestTimeView } from "../schema.ts";
import { COMMON } from "./common.ts";

export const GetBestTimes = operation({
  ...COMMON,
  id: "getBestTimes",
  method: "get",
  path: "/social/get-best-times",
  summary: "The best times to post",
  description:
    "The hours of the week, in the project's time zone, by what posts of the last 90 days that were published then achieved: likes, comments and shares on average. Hours with few posts say little.",
  query: BestTimesQuery,
  answer: z.object({ time_zone: z.string(), times: z.array(BestTimeView).readonly(), status: Done }),
  answerDescription: "The hours in which posts were published, the best first.",
  example: {
    time_zone: "Europe/Berlin",
    times: [{ weekday: 3, hour: 9, posts: 6, average: 42.5 }],
    status: true,
  },
  run: async ({ deps, caller }, { query }) => {
    const times = await readBestTimes(deps, caller, query.channel_id ?? null);
    return { time_zone: caller.timeZone, times, status: true } as const;
  },
});
