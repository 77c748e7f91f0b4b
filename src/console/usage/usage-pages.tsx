import { monthOf } from "../../usage/month.ts";
import { readUsage } from "../../usage/read-usage.ts";
import { UsageQuery } from "../../usage/schema.ts";
import { type Entry, projectPage } from "../definition.ts";
import { UsageReport } from "./usage-report.tsx";

/** What a project has used in a month, and its ceiling: the same as `GET /social/get-usage`. */
const usagePage = projectPage({
  path: "/projects/:project/usage",
  role: "viewer",
  menu: { title: ({ usage }) => usage.title, icon: "chart" },
  title: ({ usage }) => usage.title,
  load: async ({ deps, project, query, now }) => {
    const month = UsageQuery.safeParse({ month: query.month }).data?.month ?? monthOf(now);
    return { month, ...(await readUsage(deps, project.id, month)) };
  },
  view: (report, visit) => <UsageReport visit={visit} {...report} />,
});

export const USAGE: readonly Entry[] = [usagePage];
