import { z } from "zod";
import { absent } from "../../core/errors.ts";
import { type DeliveryId, idOf, type WebhookId } from "../../core/ids.ts";
import { HOUR, isoUtc } from "../../core/time.ts";
import { DELIVERY_STATES } from "../../deliveries/table.ts";
import { listDeliveries } from "../../webhooks/delivery-store.ts";
import { changeWebhook, createWebhook, endWebhook, findCreatedWebhook, rotateWebhook } from "../../webhooks/manage.ts";
import { replayDelivery, replayWindow, sendTest } from "../../webhooks/replay.ts";
import { CreateWebhookBody, ReplayBody, toChange, UpdateWebhookBody } from "../../webhooks/schema.ts";
import { listWebhooks } from "../../webhooks/store.ts";
import { apiBody, numberIn, orNull } from "../api-body.ts";
import { type Entry, type ProjectVisit, projectAction, projectPage, type Redirect } from "../definition.ts";
import { field, fields, idIn, NoFields } from "../fields.ts";
import { atMostOnce, onceForForm } from "../once-for-form.ts";
import { NewWebhookForm, WebhookList, webhooksPath } from "./webhook-list.tsx";
import { NewSecret, WebhookDetails } from "./webhook-views.tsx";

/** Webhooks of a project: the operations of the API, with deliveries and replays. */

const PATH = "/projects/:project/webhooks";
const NEW_PATH = "/projects/:project/webhooks/new";
const WEBHOOK_PATH = "/projects/:project/webhooks/:webhook";
const SHOWN = 20;

const webhookIdOf = ({ params }: ProjectVisit): WebhookId => idOf<WebhookId>(idIn(params.webhook));
const toWebhook = (visit: ProjectVisit, notice: string, id = webhookIdOf(visit)): Redirect => ({
  to: `${webhooksPath(visit)}/${id}`,
  flash: { notice },
});

const listPage = projectPage({
  path: PATH,
  role: "editor",
  menu: { title: ({ webhooks }) => webhooks.title, icon: "hook" },
  title: ({ webhooks }) => webhooks.title,
  load: async ({ deps, project }) => ({ webhooks: await listWebhooks(deps.db, project.id) }),
  view: ({ webhooks }, visit) => <WebhookList visit={visit} webhooks={webhooks} />,
});

const newPage = projectPage({
  path: NEW_PATH,
  role: "editor",
  needsRecentSignIn: true,
  title: ({ webhooks }) => webhooks.createTitle,
  load: async () => ({}),
  view: (_, visit) => <NewWebhookForm visit={visit} />,
});

/** Fields with the names of the API; `which` decides whether the selected events count. */
const WebhookForm = z.object({
  url: field(z.string()),
  description: field(z.string()),
  which: field(z.enum(["all", "custom"])),
  events: fields(z.array(z.string())),
  events_per_request: field(z.string()),
});

const bodyOf = ({ description, which, events, events_per_request, ...form }: z.output<typeof WebhookForm>) => ({
  ...form,
  description: orNull(description),
  events: which === "all" ? null : events,
  events_per_request: numberIn(events_per_request),
});

const createAction = projectAction({
  effect: "creates",
  path: PATH,
  page: NEW_PATH,
  role: "editor",
  needsRecentSignIn: true,
  body: () => WebhookForm,
  run: async (visit, form, key) => {
    const { deps, caller } = visit;
    const body = apiBody(CreateWebhookBody, bodyOf(form));
    const { url, description = null, events: types = null, events_per_request: eventsPerRequest = 1 } = body;
    const asked = { url, description, types, eventsPerRequest };
    const { webhook, secret } = await onceForForm(
      visit,
      { key, operationId: "createWebhook", body: asked },
      (record) => createWebhook(deps, caller, asked, record),
      (stored) => findCreatedWebhook(deps, caller, stored),
    );
    return {
      to: `${webhooksPath(visit)}/${webhook.id}`,
      flash: { notice: visit.texts.webhooks.notices[webhook.state], secret },
    };
  },
});

const Filter = z.enum(DELIVERY_STATES).nullable().catch(null);

const webhookPage = projectPage({
  path: WEBHOOK_PATH,
  role: "editor",
  title: ({ webhooks }) => webhooks.title,
  load: async (visit) => {
    const id = webhookIdOf(visit);
    const { before, state } = visit.query;
    const filter = { before: idIn(before) || null, state: Filter.parse(state), limit: SHOWN };
    const found = await listDeliveries(visit.deps.db, { projectId: visit.project.id, id }, filter);
    if (!found) throw absent("webhook", id);
    return { ...found, filter };
  },
  view: (found, visit) =>
    visit.flash?.secret === undefined ? (
      <WebhookDetails visit={visit} {...found} />
    ) : (
      <NewSecret visit={visit} webhook={found.webhook} secret={visit.flash.secret} />
    ),
});

const saveAction = projectAction({
  effect: "sets",
  path: WEBHOOK_PATH,
  page: WEBHOOK_PATH,
  role: "editor",
  needsRecentSignIn: true,
  body: () => WebhookForm,
  run: async (visit, form) => {
    const change = toChange(apiBody(UpdateWebhookBody, bodyOf(form)));
    await changeWebhook(visit.deps, visit.caller, webhookIdOf(visit), change);
    return toWebhook(visit, visit.texts.webhooks.saved);
  },
});

const stateAction = projectAction({
  effect: "sets",
  path: "/projects/:project/webhooks/:webhook/state",
  page: WEBHOOK_PATH,
  role: "editor",
  body: () => z.object({ status: field(z.enum(["enabled", "disabled"])) }),
  run: async (visit, body) => {
    const webhook = await changeWebhook(visit.deps, visit.caller, webhookIdOf(visit), toChange(body));
    return toWebhook(visit, visit.texts.webhooks.notices[webhook.state]);
  },
});

const rotateAction = projectAction({
  effect: "creates",
  path: "/projects/:project/webhooks/:webhook/rotate",
  page: WEBHOOK_PATH,
  role: "editor",
  needsRecentSignIn: true,
  body: () => NoFields,
  run: async (visit, _, key) => {
    const { deps, caller } = visit;
    const id = webhookIdOf(visit);
    const { webhook, secret } = await onceForForm(
      visit,
      { key, operationId: "rotateWebhookSecret", body: { id } },
      (record) => rotateWebhook(deps, caller, id, record),
      (stored) => findCreatedWebhook(deps, caller, stored),
    );
    return {
      to: `${webhooksPath(visit)}/${webhook.id}`,
      flash: { notice: visit.texts.webhooks.notices.rotated, secret },
    };
  },
});

const testAction = projectAction({
  effect: "acts",
  path: "/projects/:project/webhooks/:webhook/test",
  page: WEBHOOK_PATH,
  role: "editor",
  body: () => NoFields,
  run: async (visit, _, key) => {
    const { deps, caller } = visit;
    const id = webhookIdOf(visit);
    await atMostOnce(visit, { key, operationId: "testWebhook", body: { id } }, async () =>
      String(await sendTest(deps, caller, id)),
    );
    return toWebhook(visit, visit.texts.webhooks.notices.tested);
  },
});

const deleteAction = projectAction({
  effect: "sets",
  path: "/projects/:project/webhooks/:webhook/delete",
  page: WEBHOOK_PATH,
  role: "editor",
  body: () => NoFields,
  run: async (visit) => {
    await endWebhook(visit.deps, visit.caller, webhookIdOf(visit));
    return { to: webhooksPath(visit), flash: { notice: visit.texts.webhooks.notices.deleted } };
  },
});

const Replayed = z.object({ count: z.int(), next: z.number().nullable() });

const replayAction = projectAction({
  effect: "acts",
  path: "/projects/:project/webhooks/:webhook/replay",
  page: WEBHOOK_PATH,
  role: "editor",
  body: () => z.object({ hours: field(z.enum(["1", "24", "168", "720"])), cursor: field(z.string()) }),
  run: async (visit, { hours, cursor }, key) => {
    const { deps, caller } = visit;
    const id = webhookIdOf(visit);
    const start = isoUtc(visit.now - Number(hours) * HOUR);
    const body = apiBody(ReplayBody, { from: start, ...(cursor === "" ? {} : { cursor }) });
    const window = { from: body.from, to: Number.MAX_SAFE_INTEGER, after: Number(body.cursor ?? 0) };
    const request = { key, operationId: "replayEvents", body: { id, hours, cursor } };
    const stored = await atMostOnce(visit, request, async () =>
      JSON.stringify(await replayWindow(deps, caller, id, window)),
    );
    const { notices, replay } = visit.texts.webhooks;
    if (stored === null) return toWebhook(visit, notices.sentAgain);
    const { count, next } = Replayed.parse(JSON.parse(stored));
    const done = toWebhook(visit, notices.replayed({ count }));
    if (next === null) return done;
    const notice = `${notices.replayed({ count })} ${replay.more}`;
    return { to: `${done.to}?hours=${hours}&replayed=${next}#replay`, flash: { notice } };
  },
});

const replayDeliveryAction = projectAction({
  effect: "acts",
  path: "/projects/:project/deliveries/:delivery/replay",
  page: PATH,
  role: "editor",
  body: () => NoFields,
  run: async (visit, _, key) => {
    const { deps, caller } = visit;
    const id = idOf<DeliveryId>(idIn(visit.params.delivery));
    const request = { key, operationId: "replayDelivery", body: { id } };
    const stored = await atMostOnce(visit, request, async () => String(await replayDelivery(deps, caller, id)));
    const { sentAgain } = visit.texts.webhooks.notices;
    if (stored === null) return { to: webhooksPath(visit), flash: { notice: sentAgain } };
    return toWebhook(visit, sentAgain, idOf<WebhookId>(Number(stored)));
  },
});

export const WEBHOOKS: readonly Entry[] = [
  listPage,
  newPage,
  createAction,
  webhookPage,
  saveAction,
  stateAction,
  rotateAction,
  testAction,
  deleteAction,
  replayAction,
  replayDeliveryAction,
];
