import { z } from "@hono/zod-openapi";
import { ChannelIdParam } from "../../channels/schema.ts";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { getTimetable } from "../timetable/timetable.ts";
import { EXAMPLE_TIMETABLE, TimetableView, toTimetableView } from "../timetable/timetable-schema.ts";

export const GetChannelTimetable = operation({
  id: "getChannelTimetable",
  method: "get",
  path: "/social/get-channel-timetable/{channel_id}",
  tag: "Channels",
  permission: "add-channels",
  extension: true,
  summary: "Get the timetable of a channel's queue",
  description:
    "The times at which posts with `publish_mode` `queued` and `share_next` are published, and whether the queue is paused.",
  params: ChannelIdParam,
  answer: z.object({ timetable: TimetableView, status: Done }),
  answerDescription: "The timetable.",
  example: { timetable: EXAMPLE_TIMETABLE, status: true },
  run: async ({ deps, caller }, { params }) => {
    const channel = await getTimetable(deps, caller, readPathId("channel", params.channel_id));
    return { timetable: toTimetableView(channel, caller.timeZone), status: true } as const;
  },
});
