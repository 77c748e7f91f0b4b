import { z } from "zod";
import type { Advice, BotWarning } from "../../automations/advice.ts";
import { changeAutomation, deleteAutomation } from "../../automations/change.ts";
import { createAutomation, findCreatedAutomation } from "../../automations/create.ts";
import { TestAutomationBody } from "../../automations/log-schema.ts";
import { listReplies } from "../../automations/reply-store.ts";
import { CreateAutomationBody, UpdateAutomationBody } from "../../automations/schema.ts";
import { findAutomation, listAutomationsByCursor } from "../../automations/store.ts";
import { AUTOMATION_STATES, type Automation } from "../../automations/table.ts";
import { tryAutomation } from "../../automations/test-automation.ts";
import { absent } from "../../core/errors.ts";
import { type AutomationId, idOf } from "../../core/ids.ts";
import { walkOf } from "../../db/id-list.ts";
import { apiBody } from "../api-body.ts";
import { AnyFields } from "../compose/create-posts.ts";
import {
  type Entry,
  NO_FORM,
  type ProjectVisit,
  projectAction,
  projectPage,
  type Redirect,
  type ShowForm,
} from "../definition.ts";
import { field, idIn, NoFields } from "../fields.ts";
import { onceForForm } from "../once-for-form.ts";
import { readChoices } from "./bot-choices.ts";
import { NewBot } from "./bot-fields.tsx";
import { bodyOf, isSearch, toBody } from "./bot-form.ts";
import { BotDetails, BotList, BotTrial, botsPath, TrialResult } from "./bot-views.tsx";

/** Comment automations: the operations of the API, with the log of replies and the trial. */

const PATH = "/projects/:project/bots";
const NEW_PATH = "/projects/:project/bots/new";
const BOT_PATH = "/projects/:project/bots/:bot";
const SHOWN = 50;
const SHOWN_REPLIES = 20;

const botIdOf = ({ params }: ProjectVisit): AutomationId => idOf<AutomationId>(idIn(params.bot));

const listPage = projectPage({
  path: PATH,
  role: "viewer",
  menu: { title: ({ bots }) => bots.title, icon: "bot" },
  title: ({ bots }) => bots.title,
  load: async ({ deps, project, query }) => {
    const after = idIn(query.after) || null;
    const found = await listAutomationsByCursor(deps.db, project.id, { limit: SHOWN, direction: "desc", after });
    return { found, isFirst: after === null };
  },
  view: ({ found, isFirst }, visit) => <BotList visit={visit} found={found} isFirst={isFirst} />,
});

const newPage = projectPage({
  path: NEW_PATH,
  role: "editor",
  title: ({ bots }) => bots.createTitle,
  load: async (visit) => ({ choices: await readChoices(visit) }),
  view: ({ choices }, visit) => <NewBot visit={visit} choices={choices} />,
});

const createAction = projectAction({
  effect: "creates",
  path: PATH,
  page: NEW_PATH,
  role: "editor",
  body: () => AnyFields,
  run: async (visit, fields, key): Promise<Redirect | ShowForm> => {
    if (isSearch(fields)) return { again: { ...NO_FORM, fields }, status: 200 };
    const { deps, caller } = visit;
    const body = apiBody(CreateAutomationBody, toBody(fields));
    const { automation, advice } = await onceForForm(
      visit,
      { key, operationId: "createCommentAutomation", body },
      (record) => createAutomation(deps, caller, body, record),
      async (stored) => {
        const made = await findCreatedAutomation(deps, caller, stored);
        if (!made) throw absent("comment automation", stored);
        return made;
      },
    );
    return toBot(visit, automation, advice);
  },
});

/** Channels that have to connect again have a button of their own on their pages. */
function toBot(visit: ProjectVisit, automation: Automation, { warnings, toReconnect }: Advice): Redirect {
  const { bots } = visit.texts;
  const notice = [
    bots.saved[automation.state],
    ...warnings.map((warning) => warningText(bots, warning)),
    ...toReconnect.map(({ channel }) => bots.advice.reconnect({ channel })),
  ].join(" ");
  return { to: `${botsPath(visit)}/${automation.id}`, flash: { notice } };
}

function warningText({ advice }: ProjectVisit["texts"]["bots"], warning: BotWarning): string {
  if (warning.code === "silent") return advice.silent;
  if (warning.code === "no_text") return advice.no_text[warning.lacks];
  return advice[warning.code]({ channels: warning.channels.join(", ") });
}

const botPage = projectPage({
  path: BOT_PATH,
  role: "viewer",
  title: ({ bots }) => bots.title,
  load: async (visit) => {
    const id = botIdOf(visit);
    const before = idIn(visit.query.before) || null;
    const automation = await findAutomation(visit.deps.db, visit.project.id, id);
    if (!automation) throw absent("comment automation", id);
    const rows = await listReplies(visit.deps.db, id, { before, limit: SHOWN_REPLIES + 1 });
    return { automation, replies: walkOf(rows, SHOWN_REPLIES), isFirst: before === null };
  },
  view: (found, visit) => <BotDetails visit={visit} {...found} />,
});

const editPage = projectPage({
  path: "/projects/:project/bots/:bot/edit",
  role: "editor",
  title: ({ bots }) => bots.settings,
  load: async (visit) => {
    const automation = await findAutomation(visit.deps.db, visit.project.id, botIdOf(visit));
    if (!automation) throw absent("comment automation", botIdOf(visit));
    const body = bodyOf(automation);
    return { bot: { id: automation.id, body }, choices: await readChoices(visit, body) };
  },
  view: ({ bot, choices }, visit) => <NewBot visit={visit} choices={choices} bot={bot} />,
});

const saveAction = projectAction({
  effect: "sets",
  path: BOT_PATH,
  page: "/projects/:project/bots/:bot/edit",
  role: "editor",
  body: () => AnyFields,
  run: async (visit, fields): Promise<Redirect | ShowForm> => {
    if (isSearch(fields)) return { again: { ...NO_FORM, fields }, status: 200 };
    const body = apiBody(UpdateAutomationBody, toBody(fields));
    const { automation, advice } = await changeAutomation(visit.deps, visit.caller, botIdOf(visit), body);
    return toBot(visit, automation, advice);
  },
});

const stateAction = projectAction({
  effect: "sets",
  path: "/projects/:project/bots/:bot/state",
  page: BOT_PATH,
  role: "editor",
  body: () => z.object({ status: field(z.enum(AUTOMATION_STATES)) }),
  run: async (visit, body) => {
    const { automation, advice } = await changeAutomation(visit.deps, visit.caller, botIdOf(visit), body);
    return toBot(visit, automation, advice);
  },
});

const deleteAction = projectAction({
  effect: "sets",
  path: "/projects/:project/bots/:bot/delete",
  page: BOT_PATH,
  role: "editor",
  body: () => NoFields,
  run: async (visit) => {
    const name = await deleteAutomation(visit.deps, visit.caller, botIdOf(visit));
    return { to: botsPath(visit), flash: { notice: visit.texts.bots.deleted({ name }) } };
  },
});

const TRIAL_PATH = "/projects/:project/bots/:bot/trial";

const trialPage = projectPage({
  path: TRIAL_PATH,
  role: "editor",
  title: ({ bots }) => bots.trial.open,
  load: async (visit) => {
    const id = botIdOf(visit);
    if (!(await findAutomation(visit.deps.db, visit.project.id, id))) throw absent("comment automation", id);
    return { id };
  },
  view: ({ id }, visit) => <BotTrial visit={visit} id={id} />,
});

/** A form, because a model may be called, which costs something. */
const tryAction = projectAction({
  // It writes nothing and reaches no platform; a model's calls have their daily limit.
  effect: "sets",
  path: TRIAL_PATH,
  page: TRIAL_PATH,
  role: "editor",
  isRecorded: false,
  body: () => z.object({ text: field(z.string()), author: field(z.string()) }),
  run: async (visit, { text, author }) => {
    const comment = apiBody(TestAutomationBody, { text, ...(author.trim() === "" ? {} : { author }) });
    const trial = await tryAutomation(visit.deps, visit.caller, botIdOf(visit), comment);
    const fields = { text: [text], author: [author] };
    const report = <TrialResult visit={visit} trial={trial} />;
    return { again: { ...NO_FORM, fields, report }, status: 200 };
  },
});

export const BOTS: readonly Entry[] = [
  listPage,
  newPage,
  createAction,
  botPage,
  editPage,
  saveAction,
  stateAction,
  deleteAction,
  trialPage,
  tryAction,
];
