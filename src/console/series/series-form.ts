import type { z } from "zod";
import type { ChannelState } from "../../channels/store.ts";
import { CreateSeriesBody } from "../../posts/series/series-schema.ts";
import { apiBody } from "../api-body.ts";
import { firstOf, inputFor } from "../compose/compose-form.ts";
import type { Fields } from "../definition.ts";

/** The form of a series, and the body of create-series that it stands for. */

export const FREQUENCIES = ["DAILY", "WEEKLY", "MONTHLY"] as const;
export const DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;
export const ENDS = ["never", "count", "until"] as const;

/** Between texts that take turns. */
const BREAK = /^[ \t]*---[ \t]*\r?$/m;

/** The rule that the form describes. What is wrong with it, create-series says. */
export function ruleOf(fields: Fields): string {
  const freq = firstOf(fields, "freq");
  const days = DAYS.filter((day) => fields.days?.includes(day));
  const monthDays = firstOf(fields, "month_days")
    .split(/[\s,;]+/)
    .filter((day) => day !== "");
  const interval = firstOf(fields, "interval");
  const end = firstOf(fields, "end");
  const parts = [
    `FREQ=${freq}`,
    ...(interval === "" || interval === "1" ? [] : [`INTERVAL=${interval}`]),
    ...(freq === "WEEKLY" && days.length > 0 ? [`BYDAY=${days.join(",")}`] : []),
    ...(freq === "MONTHLY" && monthDays.length > 0 ? [`BYMONTHDAY=${monthDays.join(",")}`] : []),
    ...(end === "count" ? [`COUNT=${firstOf(fields, "count")}`] : []),
    ...(end === "until" ? [`UNTIL=${firstOf(fields, "until").replaceAll("-", "")}`] : []),
  ];
  return parts.join(";");
}

/** The texts of the form, in turn. */
export const textsOf = (fields: Fields): readonly string[] =>
  (fields.caption_text?.[0] ?? "").split(BREAK).map((text) => text.trim());

type Body = z.output<typeof CreateSeriesBody>;

/** Throws the same 422 as create-series. */
export function seriesBody(fields: Fields, channel: ChannelState, timeZone: string): Body {
  const zone = firstOf(fields, "time_zone") || timeZone;
  const name = firstOf(fields, "name");
  const [first = "", ...others] = textsOf(fields);
  const { publish_mode: _, ...post } = inputFor({ ...fields, caption_text: [first] }, channel, zone);
  const variants = others.length === 0 ? [] : [first, ...others].map((caption_text) => ({ caption_text }));
  return apiBody(CreateSeriesBody, {
    ...(name === "" ? {} : { name }),
    rule: ruleOf(fields),
    start_time: `${firstOf(fields, "start_date")} ${firstOf(fields, "start_clock")}`.trim(),
    time_zone: zone,
    post,
    variants,
  });
}

/** Which times the person has seen: the form is created only with these. */
export const timesOf = ({ rule, start_time, time_zone }: Body): string => [rule, start_time, time_zone].join(" ");
