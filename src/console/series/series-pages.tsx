import { z } from "zod";
import { idOf, type SeriesId } from "../../core/ids.ts";
import {
  createSeries,
  getSeries,
  previewSeries,
  recallSeries,
  removeSeries,
  setSeriesState,
} from "../../posts/series/series.ts";
import { UpdateSeriesBody } from "../../posts/series/series-schema.ts";
import { walkSeries } from "../../posts/series/store.ts";
import { apiBody } from "../api-body.ts";
import { readUnattendedChannels } from "../channel-choices.ts";
import { readChosenChannels } from "../compose/chosen-channels.ts";
import { firstOf } from "../compose/compose-form.ts";
import { formKeyOf, onceForForm, requireFormKey } from "../compose/create-posts.ts";
import { formAction, mediaActions } from "../compose/form-action.tsx";
import { withUpload } from "../compose/upload.ts";
import {
  type Done,
  type Entry,
  type Fields,
  FormProblem,
  NO_FORM,
  type ProjectVisit,
  projectAction,
  projectPage,
} from "../definition.ts";
import { field, idIn, NoFields } from "../fields.ts";
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
const toSeries = (visit: ProjectVisit, notice: string, id = seriesIdOf(visit)): Done => ({
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
  view: ({ channels }, visit) => (
    <SeriesForm visit={visit} channels={channels} base={pathOf(visit)} formKey={formKeyOf(visit)} />
  ),
});

/** What the form stands for. Errors: those of create-series. */
async function read(visit: ProjectVisit, fields: Fields) {
  const found = await readChosenChannels(visit, fields);
  const [channel] = found.filter(({ platform }) => platform !== "tiktok");
  if (!channel) throw new FormProblem({ channel: [visit.texts.series.chooseChannel] });
  const body = seriesBody(fields, channel, visit.project.timeZone);
  const {
    name = "",
    rule,
    start_time: startTime,
    time_zone: timeZone = visit.project.timeZone,
    post,
    variants = [],
  } = body;
  return { body, wanted: { name, rule, startTime, timeZone, post, variants } };
}

/** The first dates with their texts, and the button that creates the series with them. */
function shown(visit: ProjectVisit, fields: Fields, { body, wanted }: Awaited<ReturnType<typeof read>>) {
  const dates = previewSeries(wanted, PREVIEWED);
  const report = (
    <Dates visit={visit} timeZone={wanted.timeZone} dates={dates} texts={textsOf(fields)} times={timesOf(body)} />
  );
  return { again: { ...NO_FORM, fields, report }, status: 200 } as const;
}

const previewAction = formAction({
  page: NEW_PATH,
  end: "/preview",
  role: "editor",
  isRecorded: false,
  run: async (visit, sent) => {
    const fields = await withUpload(visit, sent);
    return shown(visit, fields, await read(visit, fields));
  },
});

const createAction = formAction({
  page: NEW_PATH,
  role: "editor",
  run: async (visit, sent) => {
    requireFormKey(sent);
    const { deps, caller, texts } = visit;
    const fields = await withUpload(visit, sent);
    const found = await read(visit, fields);
    const { body, wanted } = found;
    // Only the dates that the person has seen.
    if (firstOf(fields, "times") !== timesOf(body)) return shown(visit, fields, found);
    const request = { key: firstOf(sent, "key"), operationId: "createSeries", body };
    const id = await onceForForm(visit, request, (record) => createSeries(deps, caller, wanted, record), recallSeries);
    return toSeries(visit, texts.series.created, id);
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
  path: `${SERIES_PATH}/delete`,
  page: SERIES_PATH,
  role: "editor",
  body: () => NoFields,
  run: async (visit): Promise<Done> => {
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
