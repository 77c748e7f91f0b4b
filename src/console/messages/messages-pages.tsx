import { z } from "zod";
import { getConversation, updateConversation } from "../../conversations/change.ts";
import { collectMessages, toCollection } from "../../conversations/collect.ts";
import { walkConversations } from "../../conversations/list.ts";
import { SendMessageBody, UpdateConversationBody } from "../../conversations/schema.ts";
import { recallMessage, requestMessage } from "../../conversations/send.ts";
import { selectMessages } from "../../conversations/store.ts";
import { CONVERSATION_STATES } from "../../conversations/stored.ts";
import { type ChannelId, type ConversationId, idOf } from "../../core/ids.ts";
import type { IdempotencyRecord } from "../../db/client.ts";
import { selectMembers } from "../../people/members.ts";
import { PLATFORM_NAMES } from "../../platforms/names.ts";
import { findPlatform } from "../../platforms/registry.ts";
import { apiBody, orNull } from "../api-body.ts";
import { readChannels } from "../channel-choices.ts";
import { type Entry, type ProjectVisit, projectAction, projectPage, type Redirect } from "../definition.ts";
import { field, idIn } from "../fields.ts";
import { onceForForm } from "../once-for-form.ts";
import { ConversationPage } from "./conversation-view.tsx";
import { MessagesPage } from "./messages-view.tsx";

/** Direct messages: the operations of the API. For editors, because they are personal data. */

const PATH = "/projects/:project/messages";
const CONVERSATION_PATH = `${PATH}/:conversation`;
const SHOWN = 25;
const SHOWN_MESSAGES = 100;
const TALKING = PLATFORM_NAMES.filter((name) => findPlatform(name)?.conversations !== undefined);

const pathOf = ({ project }: ProjectVisit): string => `/console/projects/${project.id}/messages`;
const conversationIn = ({ params }: ProjectVisit) => idOf<ConversationId>(idIn(params.conversation));

const listPage = projectPage({
  path: PATH,
  role: "editor",
  menu: { title: ({ messages }) => messages.title, icon: "bubble" },
  title: ({ messages }) => messages.title,
  load: async (visit) => {
    const { deps, project, query } = visit;
    const { items } = await readChannels(visit, TALKING);
    const state = CONVERSATION_STATES.find((one) => one === query.state) ?? null;
    const wanted = items.find(({ id }) => id === idIn(query.channel));
    const channel = wanted?.id ?? null;
    const where = { projectId: project.id, channelId: channel, state };
    const found = await walkConversations(deps.db, where, { cursor: query.after ?? "", limit: SHOWN });
    return { channels: items.map(toCollection), conversations: found.items, channel, state, next: found.next };
  },
  view: (list, visit) => <MessagesPage visit={visit} {...list} base={pathOf(visit)} />,
});

const conversationPage = projectPage({
  path: CONVERSATION_PATH,
  role: "editor",
  title: ({ messages }) => messages.conversation,
  load: async (visit) => {
    const { deps, caller, project } = visit;
    const conversation = await getConversation(deps, caller, conversationIn(visit));
    const messages = await selectMessages(deps.db, conversation.id, null, SHOWN_MESSAGES);
    const members = await selectMembers(deps.directory, project.id);
    return { conversation, messages: messages.toReversed(), members: members.map(({ email }) => email) };
  },
  view: (found, visit) => <ConversationPage visit={visit} {...found} base={pathOf(visit)} />,
});

/** Sent twice, a form sends one message. */
const sendAction = projectAction({
  effect: "acts",
  path: `${CONVERSATION_PATH}/send`,
  page: CONVERSATION_PATH,
  role: "editor",
  body: () => z.object({ text: field(z.string()) }),
  run: async (visit, { text }, key): Promise<Redirect> => {
    const { deps, caller } = visit;
    const conversationId = conversationIn(visit);
    const body = apiBody(SendMessageBody, { text, typed_by_person: true });
    const wanted = { conversationId, text: body.text, isTyped: true };
    const act = async (record: IdempotencyRecord) => (await requestMessage(deps, caller, wanted, record)).id;
    await onceForForm(visit, { key, operationId: "sendMessage", body: wanted }, act, recallMessage);
    return { to: `${pathOf(visit)}/${conversationId}`, flash: { notice: visit.texts.messages.sending } };
  },
});

const saveAction = projectAction({
  effect: "sets",
  path: CONVERSATION_PATH,
  page: CONVERSATION_PATH,
  role: "editor",
  body: () =>
    z.object({
      assigned_to: field(z.string()),
      note: field(z.string()),
      done: field(z.enum(["on", ""])),
    }),
  run: async (visit, { assigned_to, note, done }): Promise<Redirect> => {
    const id = conversationIn(visit);
    const body = apiBody(UpdateConversationBody, { assigned_to: orNull(assigned_to), note: orNull(note) });
    const change = { assignedTo: body.assigned_to, note: body.note, isDone: done === "on" };
    await updateConversation(visit.deps, visit.caller, id, change);
    return { to: `${pathOf(visit)}/${id}`, flash: { notice: visit.texts.messages.saved } };
  },
});

const collectAction = projectAction({
  effect: "sets",
  path: `${PATH}/collect/:channel`,
  page: PATH,
  role: "editor",
  body: () => z.object({ collect: field(z.enum(["on", "off"])) }),
  run: async (visit, { collect }): Promise<Redirect> => {
    const { deps, caller, params, texts } = visit;
    await collectMessages(deps, caller, idOf<ChannelId>(idIn(params.channel)), collect === "on");
    const notice = collect === "on" ? texts.messages.switchedOn : texts.messages.switchedOff;
    return { to: pathOf(visit), flash: { notice } };
  },
});

export const MESSAGES: readonly Entry[] = [listPage, conversationPage, sendAction, saveAction, collectAction];
