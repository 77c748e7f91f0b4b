import { z } from "zod";
import { type FeedId, idOf } from "../../core/ids.ts";
import type { IdempotencyRecord } from "../../db/client.ts";
import { hasOwnForm } from "../../platforms/facts.ts";
import { CreateFeedBody, UpdateFeedBody } from "../../posts/feeds/feed-schema.ts";
import { createFeed, getFeed, MAX_FEEDS, recallFeed, removeFeed, updateFeed } from "../../posts/feeds/feeds.ts";
import { listFeeds } from "../../posts/feeds/store.ts";
import { apiBody } from "../api-body.ts";
import { readUnattendedChannels } from "../channel-choices.ts";
import { readChosenChannels } from "../compose/chosen-channels.ts";
import {
  type Entry,
  FormProblem,
  type ProjectVisit,
  projectAction,
  projectPage,
  type Redirect,
} from "../definition.ts";
import { field, fields, idIn, NoFields } from "../fields.ts";
import { onceForForm } from "../once-for-form.ts";
import { FeedDetails, FeedForm, FeedList } from "./feed-views.tsx";

/** Posts from feeds: the operations of the API for feeds. */

const PATH = "/projects/:project/feeds";
const NEW_PATH = `${PATH}/new`;
const FEED_PATH = `${PATH}/:feed`;

const pathOf = ({ project }: ProjectVisit): string => `/console/projects/${project.id}/feeds`;
const feedIdOf = ({ params }: ProjectVisit): FeedId => idOf<FeedId>(idIn(params.feed));
const toFeed = (visit: ProjectVisit, notice: string, id = feedIdOf(visit)): Redirect => ({
  to: `${pathOf(visit)}/${id}`,
  flash: { notice },
});

const listPage = projectPage({
  path: PATH,
  role: "viewer",
  menu: { title: ({ feeds }) => feeds.title, icon: "rss" },
  title: ({ feeds }) => feeds.title,
  load: async ({ deps, project }) => ({ feeds: await listFeeds(deps.db, project.id, MAX_FEEDS) }),
  view: ({ feeds }, visit) => <FeedList visit={visit} feeds={feeds} base={pathOf(visit)} />,
});

const newPage = projectPage({
  path: NEW_PATH,
  role: "editor",
  title: ({ feeds }) => feeds.createTitle,
  load: async (visit) => ({ channels: await readUnattendedChannels(visit) }),
  view: ({ channels }, visit) => <FeedForm visit={visit} channels={channels} base={pathOf(visit)} />,
});

const text = field(z.string());
const NewFeed = z.object({
  name: text,
  url: text,
  publish_mode: text,
  caption_text: text,
  picture: text,
  channels: fields(z.array(z.string())),
});

const createAction = projectAction({
  effect: "creates",
  path: PATH,
  page: NEW_PATH,
  role: "editor",
  body: () => NewFeed,
  run: async (visit, { name, url, publish_mode, channels, caption_text, picture }, key) => {
    const { deps, caller, texts } = visit;
    const chosen = (await readChosenChannels(visit, { channel: channels })).filter(
      ({ platform }) => !hasOwnForm(platform),
    );
    if (chosen.length === 0) throw new FormProblem({ channels: [texts.feeds.chooseChannel] });
    const content = { caption_text, media_urls: picture === "yes" ? ["{image}"] : [] };
    const templates = chosen.map(({ id: channel_id, platform: channel_type }) => ({
      channel_type,
      channel_id,
      post_type: "post",
      ...content,
    }));
    const named = name === "" ? {} : { name };
    const body = apiBody(CreateFeedBody, { ...named, url, publish_mode, posts: templates });
    const { publish_mode: publishMode, posts } = body;
    const wanted = { name, url, publishMode, posts, includeExisting: 0 };
    const create = (record: IdempotencyRecord) => createFeed(deps, caller, wanted, record);
    const id = await onceForForm(visit, { key, operationId: "createFeed", body }, create, recallFeed);
    return toFeed(visit, texts.feeds.created, id);
  },
});

const feedPage = projectPage({
  path: FEED_PATH,
  role: "viewer",
  title: ({ feeds }) => feeds.title,
  load: (visit) => getFeed(visit.deps, visit.caller, feedIdOf(visit)),
  view: (feed, visit) => <FeedDetails visit={visit} feed={feed} base={pathOf(visit)} />,
});

const stateAction = projectAction({
  effect: "sets",
  path: `${FEED_PATH}/state`,
  page: FEED_PATH,
  role: "editor",
  body: () => z.object({ state: text }),
  run: async (visit, form) => {
    const { state } = apiBody(UpdateFeedBody, form);
    await updateFeed(visit.deps, visit.caller, feedIdOf(visit), { state });
    const { paused, resumed } = visit.texts.feeds;
    return toFeed(visit, state === "paused" ? paused : resumed);
  },
});

const addressAction = projectAction({
  effect: "sets",
  path: `${FEED_PATH}/address`,
  page: FEED_PATH,
  role: "editor",
  body: () => z.object({ url: text }),
  run: async (visit, form) => {
    const { url } = apiBody(UpdateFeedBody, form);
    const id = feedIdOf(visit);
    const { state } = await getFeed(visit.deps, visit.caller, id);
    await updateFeed(visit.deps, visit.caller, id, { url, ...(state === "stopped" ? { state: "active" } : {}) });
    return toFeed(visit, visit.texts.feeds.urlChanged);
  },
});

const deleteAction = projectAction({
  effect: "sets",
  path: `${FEED_PATH}/delete`,
  page: FEED_PATH,
  role: "editor",
  body: () => NoFields,
  run: async (visit): Promise<Redirect> => {
    await removeFeed(visit.deps, visit.caller, feedIdOf(visit));
    return { to: pathOf(visit), flash: { notice: visit.texts.feeds.deleted } };
  },
});

export const FEEDS: readonly Entry[] = [
  listPage,
  newPage,
  createAction,
  feedPage,
  stateAction,
  addressAction,
  deleteAction,
];
