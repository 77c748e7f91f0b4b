import { z } from "@hono/zod-openapi";
import { ChannelIdParam } from "../../channels/schema.ts";
import type { Api } from "../../http/api.ts";
import { operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { changeTimetable, getTimetable } from "./timetable.ts";
import {
  EXAMPLE_TIMETABLE,
  TimetableView,
  toTimetableChange,
  toTimetableView,
  UpdateTimetableBody,
} from "./timetable-schema.ts";

const Done = z.literal(true);

/**
 * Routes for the timetable of a channel's queue, an extension. They belong to the posts because a change
 * moves posts.
 */
export function timetableRoutes(app: Api): void {
  app.openapi(
    operation({
      id: "getTimetable",
      method: "get",
      path: "/social/channel/{channel_id}/timetable",
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
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const channel = await getTimetable(deps, caller, readPathId("channel", c.req.valid("param").channel_id));
      return c.json({ timetable: toTimetableView(channel, caller.timeZone), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      id: "updateTimetable",
      method: "put",
      path: "/social/channel/{channel_id}/timetable",
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
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const id = readPathId("channel", c.req.valid("param").channel_id);
      const { channel, moved, message } = await changeTimetable(
        deps,
        caller,
        id,
        toTimetableChange(c.req.valid("json")),
      );
      const timetable = toTimetableView(channel, caller.timeZone);
      return c.json({ message, timetable, moved_posts: moved, status: true } as const, 200);
    },
  );
}
