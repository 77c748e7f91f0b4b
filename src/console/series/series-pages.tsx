import { z } from "zod";
import type { ChannelState } from "../../channels/store.ts";
import { idOf, type SeriesId } from "../../core/ids.ts";
import { hasOwnForm } from "../../platforms/facts.ts";
import {
  createSeries,
  getSeries,
  previewSeries,
  recallSeries,
  removeSeries,
  requireSeries,
  setSeriesState,
} from "../../posts/series/series.ts";
import { UpdateSeriesBody } from "../../posts/series/series-schema.ts";
import { walkSeries } from "../../posts/series/store.ts";
import { apiBody } from "../api-body.ts";
import { readUnattendedChannels } from "../channel-choices.ts";
import { readChosenChannels } from "../compose/chosen-channels.ts";
import { firstOf } from "../compose/compose-form.ts";
import { formAction, mediaActions } from "../compose/form-action.tsx";
import { withUpload } from "../compose/upload.ts";
import {
  type Entry,
  type Fields,
  FormProblem,
  NO_FORM,
  type ProjectVisit,
  projectAction,
  projectPage,
  type Redirect,
} from "../definition.ts";
import { field, idIn, NoFields } from "../fields.ts";
import { onceForForm, requireFormKey } from "../once-for-form.ts";
import { Dates, SeriesForm } from "./form-views.tsx";
import { seriesBody, textsOf, timesOf } from "./series-form.ts";
import { SeriesDetails, SeriesList } from "./series-views.tsx";

/** Posts that repeat: the operations of the API for series. */

const PATH = "/projects/:project/series";
const NEW_PATH = `${PATH}/new`;
const SERIES_PATH = `${PATH}/:series`;
const SHOWN = 30;
/** Dates that are shown before a series is created. */
const PREVIEWED = 6;

const pathOf = ({ project }: ProjectVisit): string => `/console/projects/${project.id}/series`;
const seriesIdOf = ({ params }: ProjectVisit): SeriesId => idOf<SeriesId>(idIn(params.series));
const toSeries = (visit: ProjectVisit, notice: string, id = seriesIdOf(visit)): Redirect => ({
  to: `${pathOf(visit)}/${id}`,
  flash: { notice },
});

const listPage = projectPage({
  path: PATH,
  role: "viewer",
  menu: { title: ({ series }) => series.title, icon: "repeat" },
  title: ({ series }) => series.title,
  load: async ({ deps, project, query }) => {
    const after = idIn(query.after);
    const walk = { after: after === 0 ? null : idOf<SeriesId>(after), limit: SHOWN };
    return { found: await walkSeries(deps.db, project.id, walk), isFirst: after === 0 };
  },
  view: (list, visit) => <SeriesList visit={visit} {...list} base={pathOf(visit)} />,
});

const newPage = projectPage({
  path: NEW_PATH,
  role: "editor",
  title: ({ series }) => series.createTitle,
  load: async (visit) => ({ channels: await readUnattendedChannels(visit) }),
  view: ({ channels }, visit) => <SeriesForm visit={visit} channels={channels} base={pathOf(visit)} />,
});

/** The series of each channel that the form stands for. Errors: those of create-series. */
async function read(visit: ProjectVisit, fields: Fields) {
  const found = await readChosenChannels(visit, fields);
  const [first, ...others] = found
    .filter(({ platform }) => !hasOwnForm(platform))
    .map((channel) => ofChannel(visit, fields, channel));
  if (!first) throw new FormProblem({ channel: [visit.texts.feeds.chooseChannel] });
  return [first, ...others] as const;
}

function ofChannel({ project }: ProjectVisit, fields: Fields, channel: ChannelState) {
  const body = seriesBody(fields, channel, project.timeZone);
  const { name = "", rule, start_time: startTime, time_zone: timeZone = project.timeZone, post, variants = [] } = body;
  return { channelId: channel.id, body, wanted: { name, rule, startTime, timeZone, post, variants } };
}
type Wanted = ReturnType<typeof ofChannel>;

/** The first dates with their texts, which all channels share, and the button that creates the series. */
function shown(visit: ProjectVisit, fields: Fields, { body, wanted }: Wanted) {
  const dates = previewSeries(wanted, PREVIEWED);
  const report = (
    <Dates visit={visit} timeZone={wanted.timeZone} dates={dates} texts={textsOf(fields)} times={timesOf(body)} />
  );
  return { again: { ...NO_FORM, fields, report }, status: 200 } as const;
}

const previewAction = formAction({
  effect: "sets",
  page: NEW_PATH,
  end: "/preview",
  role: "editor",
  isRecorded: false,
  run: async (visit, sent) => {
    const fields = await withUpload(visit, sent);
    const [first] = await read(visit, fields);
    return shown(visit, fields, first);
  },
});

const createAction = formAction({
  effect: "creates",
  page: NEW_PATH,
  role: "editor",
  run: async (visit, sent, key) => {
    requireFormKey(sent);
    const { deps, caller, texts, now } = visit;
    const fields = await withUpload(visit, sent);
    const [first, ...others] = await read(visit, fields);
    // Only the dates that the person has seen.
    if (firstOf(fields, "times") !== timesOf(first.body)) return shown(visit, fields, first);
    // What one channel refuses is created on none.
    for (const { wanted } of others) await requireSeries(deps, caller, wanted, now);
    const create = ({ channelId, body, wanted }: Wanted) => {
      const request = { key, part: channelId, operationId: "createSeries", body };
      return onceForForm(visit, request, (record) => createSeries(deps, caller, wanted, record), recallSeries);
    };
    const id = await create(first);
    for (const other of others) await create(other);
    if (others.length === 0) return toSeries(visit, texts.series.created, id);
    return { to: pathOf(visit), flash: { notice: texts.series.created } };
  },
});

const seriesPage = projectPage({
  path: SERIES_PATH,
  role: "viewer",
  title: ({ series }) => series.title,
  load: (visit) => getSeries(visit.deps, visit.caller, seriesIdOf(visit)),
  view: (series, visit) => <SeriesDetails visit={visit} series={series} base={pathOf(visit)} />,
});

const stateAction = projectAction({
  effect: "sets",
  path: `${SERIES_PATH}/state`,
  page: SERIES_PATH,
  role: "editor",
  body: () => z.object({ state: field(z.string()) }),
  run: async (visit, form) => {
    const { state } = apiBody(UpdateSeriesBody, form);
    await setSeriesState(visit.deps, visit.caller, seriesIdOf(visit), state);
    const { paused, resumed } = visit.texts.series;
    return toSeries(visit, state === "paused" ? paused : resumed);
  },
});

const deleteAction = projectAction({
  effect: "sets",
  path: `${SERIES_PATH}/delete`,
  page: SERIES_PATH,
  role: "editor",
  body: () => NoFields,
  run: async (visit): Promise<Redirect> => {
    await removeSeries(visit.deps, visit.caller, seriesIdOf(visit));
    return { to: pathOf(visit), flash: { notice: visit.texts.series.deleted } };
  },
});

export const SERIES_ROOM: readonly Entry[] = [
  listPage,
  newPage,
  previewAction,
  ...mediaActions(NEW_PATH, { role: "editor" }),
  createAction,
  seriesPage,
  stateAction,
  deleteAction,
];
