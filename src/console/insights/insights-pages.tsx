import { z } from "zod";
import { type ChannelId, idOf } from "../../core/ids.ts";
import { DAY } from "../../core/time.ts";
import { collectPaidInsights, exportCsv, readOverview } from "../../insights/read.ts";
import { readChannels } from "../channel-choices.ts";
import { type Entry, type ProjectVisit, projectAction, projectPage } from "../definition.ts";
import { field, idIn } from "../fields.ts";
import { InsightsPage } from "./insights-views.tsx";

/** What posts and accounts achieved: the same as the operations of the API. */

const PATH = "/projects/:project/insights";
const PERIODS = [30, 90, 365] as const;

/** Whole days of UTC, today included. */
function rangeOf({ query, now }: Pick<ProjectVisit, "query" | "now">) {
  const days = PERIODS.find((one) => String(one) === query.days) ?? PERIODS[0];
  const until = (Math.floor(now / DAY) + 1) * DAY;
  return { days, since: until - days * DAY, until };
}

const insightsPage = projectPage({
  path: PATH,
  role: "viewer",
  menu: { title: ({ insights }) => insights.title, icon: "chart" },
  title: ({ insights }) => insights.title,
  load: async (visit) => {
    const { deps, project, query, caller } = visit;
    const { items: channels } = await readChannels(visit);
    const wanted = idIn(query.channel);
    const channel = channels.find(({ id }) => id === wanted) ?? channels[0] ?? null;
    const { days, ...range } = rangeOf(visit);
    const overview = channel && (await readOverview(deps, caller, channel, { ...range, timeZone: project.timeZone }));
    return { channels, days, overview };
  },
  view: (data, visit) => <InsightsPage visit={visit} periods={PERIODS} {...data} />,
});

const exportPage = projectPage({
  path: `${PATH}/export`,
  role: "viewer",
  title: ({ insights }) => insights.title,
  load: async (visit) => {
    const { since, until } = rangeOf(visit);
    const wanted = idIn(visit.query.channel);
    const channelId = wanted === 0 ? null : idOf<ChannelId>(wanted);
    const csv = await exportCsv(visit.deps, { projectId: visit.project.id, channelId, since, until });
    return new Response(csv, {
      headers: {
        "Content-Type": "text/csv; charset=utf-8",
        "Content-Disposition": 'attachment; filename="insights.csv"',
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
      },
    });
  },
  view: () => null,
});

const collectAction = projectAction({
  effect: "sets",
  path: `${PATH}/:channel/collect`,
  page: PATH,
  role: "editor",
  body: () => z.object({ collect: field(z.enum(["on", "off"])) }),
  run: async (visit, { collect }) => {
    const { deps, caller, project, params, texts } = visit;
    const id = idOf<ChannelId>(idIn(params.channel));
    await collectPaidInsights(deps, caller, id, collect === "on");
    const notice = collect === "on" ? texts.insights.switchedOn : texts.insights.switchedOff;
    return { to: `/console/projects/${project.id}/insights?channel=${id}`, flash: { notice } };
  },
});

export const INSIGHTS: readonly Entry[] = [insightsPage, exportPage, collectAction];
