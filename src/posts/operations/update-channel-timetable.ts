import { z } from "@hono/zod-openapi";
import { ChannelIdParam } from "../../channels/schema.ts";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { changeTimetable } from "../timetable/timetable.ts";
import {
  EXAMPLE_TIMETABLE,
  TimetableView,
  toTimetableChange,
  toTimetableView,
  UpdateTimetableBody,
} from "../timetable/timetable-schema.ts";

export const UpdateChannelTimetable = operation({
  id: "updateChannelTimetable",
  audited: true,
  method: "put",
  path: "/social/update-channel-timetable/{channel_id}",
  tag: "Channels",
  permission: "add-channels",
  extension: true,
  summary: "Set the timetable of a channel's queue",
  description:
    "Changes the given fields. New slots or a new time zone reassign the queued posts in their order, from the next slot on. Scheduled posts keep their times. A paused queue publishes nothing, `share_next` included; when it resumes, its posts get the next free slots. A post that is already being published is not stopped. Each moved post gets an event in its timeline.",
  params: ChannelIdParam,
  body: UpdateTimetableBody,
  answer: z.object({
    message: z.string(),
    timetable: TimetableView,
    moved_posts: z.int().openapi({ description: "How many queued posts got another slot." }),
    status: Done,
  }),
  answerDescription: "The current timetable.",
  example: {
    message: "The timetable is set; 3 queued posts got another slot.",
    timetable: EXAMPLE_TIMETABLE,
    moved_posts: 3,
    status: true,
  },
  run: async ({ deps, caller }, { body, params }) => {
    const id = readPathId("channel", params.channel_id);
    const { channel, moved, message } = await changeTimetable(deps, caller, id, toTimetableChange(body));
    const timetable = toTimetableView(channel, caller.timeZone);
    return { message, timetable, moved_posts: moved, status: true } as const;
  },
});
