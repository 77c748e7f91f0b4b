import { z } from "zod";
import { ENDINGS } from "../../api/endings.ts";
import { disconnect } from "../../channels/disconnect.ts";
import { listChannelsByCursor } from "../../channels/list.ts";
import { findChannel } from "../../channels/store.ts";
import { WEEKDAYS } from "../../channels/weekly-slots.ts";
import { ConnectBody } from "../../connect/schema.ts";
import { findCreatedSession, openSession } from "../../connect/session.ts";
import { absent } from "../../core/errors.ts";
import { type ChannelId, idOf } from "../../core/ids.ts";
import { changeTimetable, type TimetableChange } from "../../posts/timetable/timetable.ts";
import { toTimetableChange, UpdateTimetableBody } from "../../posts/timetable/timetable-schema.ts";
import { apiBody, orNull } from "../api-body.ts";
import {
  type Entry,
  FormProblem,
  type ProjectVisit,
  projectAction,
  projectPage,
  type Redirect,
} from "../definition.ts";
import { field, fields, idIn, NoFields } from "../fields.ts";
import type { FormKey } from "../form-key.ts";
import { onceForForm } from "../once-for-form.ts";
import { ChannelDetails, ChannelList, ConnectForm, channelsPath } from "./channel-views.tsx";

/** The connected accounts of a project: connect, health, timetable, disconnect. */

const PATH = "/projects/:project/channels";
const CONNECT_PATH = "/projects/:project/channels/connect";
const CHANNEL_PATH = "/projects/:project/channels/:channel";
const SHOWN = 50;

const channelIdOf = ({ params }: ProjectVisit): ChannelId => idOf<ChannelId>(idIn(params.channel));

const listPage = projectPage({
  path: PATH,
  role: "viewer",
  menu: { title: ({ channels }) => channels.title, icon: "channel" },
  title: ({ channels }) => channels.title,
  load: async ({ deps, project, query, now }) => {
    const filter = { userRef: null, platforms: null, health: null, limit: SHOWN };
    const after = idIn(query.after) || null;
    return { after, found: await listChannelsByCursor(deps.db, project.id, { filter, now, after }) };
  },
  view: ({ found, after }, visit) => <ChannelList visit={visit} found={found} isFirst={after === null} />,
});

const connectPage = projectPage({
  path: CONNECT_PATH,
  role: "editor",
  title: ({ channels }) => channels.connectTitle,
  load: async () => ({}),
  view: (_, visit) => <ConnectForm visit={visit} />,
});

const connectAction = projectAction({
  effect: "creates",
  path: CONNECT_PATH,
  page: CONNECT_PATH,
  role: "editor",
  body: () => z.object({ platform: fields(z.array(z.string())) }),
  run: async (visit, { platform: platforms }, key) => {
    if (platforms.length === 0) throw new FormProblem({ platform: [visit.texts.channels.chooseOne] });
    return openConnect(visit, { userId: `person-${visit.visitor.person.id}`, platforms }, key);
  },
});

/** The channel keeps the user whom the application has connected it for. */
const reconnectAction = projectAction({
  effect: "creates",
  path: "/projects/:project/channels/:channel/reconnect",
  page: PATH,
  role: "editor",
  body: () => NoFields,
  run: async (visit, _, key) => {
    const channel = await findChannel(visit.deps.db, visit.project.id, channelIdOf(visit));
    if (!channel) throw absent("channel", channelIdOf(visit));
    return openConnect(visit, { userId: channel.userRef, platforms: [channel.platform] }, key);
  },
});

/** To the page of a new connect link, which leads back here. */
async function openConnect(
  visit: ProjectVisit,
  request: { readonly userId: string; readonly platforms: readonly string[] },
  key: FormKey,
): Promise<Redirect> {
  const body = apiBody(ConnectBody, { ...request, redirectUrl: `${visit.origin}${channelsPath(visit)}` });
  const { deps, caller } = visit;
  const { token } = await onceForForm(
    visit,
    { key, operationId: "connectChannel", body },
    (record) => openSession(deps, caller, body, record),
    (stored, replace) => findCreatedSession(deps, caller, body, { stored, replace }),
  );
  return { to: `/connect/${token}` };
}

const channelPage = projectPage({
  path: CHANNEL_PATH,
  role: "viewer",
  title: ({ channels }) => channels.title,
  load: async (visit) => {
    const channel = await findChannel(visit.deps.db, visit.project.id, channelIdOf(visit));
    if (!channel) throw absent("channel", channelIdOf(visit));
    return channel;
  },
  view: (channel, visit) => <ChannelDetails visit={visit} channel={channel} />,
});

const disconnectAction = projectAction({
  effect: "sets",
  path: "/projects/:project/channels/:channel/disconnect",
  page: CHANNEL_PATH,
  role: "editor",
  body: () => NoFields,
  run: async (visit) => {
    const channel = { projectId: visit.project.id, id: channelIdOf(visit) };
    const notice = await disconnect(visit.deps, channel, ENDINGS);
    return { to: channelsPath(visit), flash: { notice } };
  },
});

const timesOf = field(
  z
    .string()
    .max(500)
    .transform((text) => text.split(/[\s,;]+/).filter((time) => time !== "")),
);
const TimetableForm = z.object({
  "slots.monday": timesOf,
  "slots.tuesday": timesOf,
  "slots.wednesday": timesOf,
  "slots.thursday": timesOf,
  "slots.friday": timesOf,
  "slots.saturday": timesOf,
  "slots.sunday": timesOf,
  time_zone: field(z.string()),
});

const timetableAction = projectAction({
  effect: "sets",
  path: "/projects/:project/channels/:channel/timetable",
  page: CHANNEL_PATH,
  role: "editor",
  body: () => TimetableForm,
  run: (visit, form) => {
    const slots = Object.fromEntries(WEEKDAYS.map((day) => [day, form[`slots.${day}`]]));
    return change(visit, toTimetableChange(apiBody(UpdateTimetableBody, { slots, time_zone: orNull(form.time_zone) })));
  },
});

const QUEUE_CHANGES = {
  default_times: { slots: null },
  pause: { isPaused: true },
  resume: { isPaused: false },
} as const satisfies Readonly<Record<string, TimetableChange>>;

const queueAction = projectAction({
  effect: "sets",
  path: "/projects/:project/channels/:channel/queue",
  page: CHANNEL_PATH,
  role: "editor",
  body: () => z.object({ change: field(z.enum(["default_times", "pause", "resume"])) }),
  run: (visit, form) => change(visit, QUEUE_CHANGES[form.change]),
});

async function change(visit: ProjectVisit, timetable: TimetableChange): Promise<Redirect> {
  const { channel, moved } = await changeTimetable(visit.deps, visit.caller, channelIdOf(visit), timetable);
  const { timetable: texts } = visit.texts.channels;
  const state = channel.queuePausedAt === null ? texts.saved : texts.pausedNow;
  const notice = moved === 0 ? state : `${state} ${texts.moved({ count: moved })}`;
  return { to: `${channelsPath(visit)}/${channel.id}`, flash: { notice } };
}

export const CHANNELS: readonly Entry[] = [
  listPage,
  connectPage,
  connectAction,
  channelPage,
  reconnectAction,
  disconnectAction,
  timetableAction,
  queueAction,
];
