import type { ChannelState } from "../../channels/store.ts";
import type { Occurrence } from "../../posts/series/rule.ts";
import { COMPOSE_STYLE } from "../compose/compose-style.ts";
import { ChannelsField, MediaFields } from "../compose/shared-fields.tsx";
import { CropDialog } from "../crop/crop-dialog.tsx";
import type { ProjectVisit } from "../definition.ts";
import { TextArea } from "../form-fields.tsx";
import { PageStyle } from "../page-style.tsx";
import {
  ChoiceList,
  Empty,
  FieldErrors,
  Form,
  fieldValue,
  fieldValues,
  Notices,
  PageScript,
  TextField,
  Top,
} from "../parts.tsx";
import { DATES_STYLE, DateList } from "./date-list.tsx";
import { DAYS, ENDS, FREQUENCIES } from "./series-form.ts";
import { weekdayName } from "./series-views.tsx";

interface Page {
  readonly visit: ProjectVisit;
  readonly channels: readonly ChannelState[];
  /** Of the list. */
  readonly base: string;
  /** Of this form: a second press of the button creates no second series. */
}

/** Parts of the form that appear with a choice (`Choice`, `shows`). */
const PARTS = ["weekly", "monthly", "count", "until"];
const STYLE = `${COMPOSE_STYLE}
${PARTS.map((part) => `form:not(:has([data-shows=${part}]:checked)) .only.${part}`).join(",")}{display:none}
${DATES_STYLE}
`;

export function SeriesForm(page: Page) {
  const { visit, channels, base } = page;
  const { series, compose } = visit.texts;
  const path = `${base}/new`;
  return (
    <>
      <PageStyle visit={visit} rules={STYLE} />
      <Top title={series.createTitle} lead={series.createLead} />
      <Notices visit={visit} />
      {channels.length === 0 ? (
        <Empty icon="channel" title={compose.noChannels} lead={compose.noChannelsLead} />
      ) : (
        <Form visit={visit} action={path} attributes={{ enctype: "multipart/form-data" }}>
          {/* The enter key presses the first button. */}
          <button type="submit" formaction={`${path}/preview#report`} hidden />
          <Content visit={visit} channels={channels} />
          <MediaFields visit={visit} path={path} />
          <Rule visit={visit} />
          {visit.form.report ?? <section id="report" />}
          <div class="buttons">
            <button
              class={visit.form.report ? "button" : "button first"}
              type="submit"
              formaction={`${path}/preview#report`}
            >
              {series.preview}
            </button>
            <a class="button" href={base}>
              {visit.texts.form.cancel}
            </a>
          </div>
        </Form>
      )}
      <PageScript visit={visit} name="upload" />
      <CropDialog visit={visit} />
    </>
  );
}

function Content({ visit, channels }: Pick<Page, "visit" | "channels">) {
  const { series, compose } = visit.texts;
  return (
    <section class="card">
      <TextField
        visit={visit}
        name="name"
        label={series.name}
        hint={series.nameHint}
        input={{ maxlength: 100, autocomplete: "off" }}
      />
      <ChannelsField visit={visit} name="channel" channels={channels} />
      <TextArea visit={visit} name="caption_text" label={compose.text} hint={series.textHint} rows={7} />
      <TextField
        visit={visit}
        name="hash_tags"
        label={compose.hashTags}
        hint={compose.hashTagsHint}
        input={{ autocomplete: "off" }}
      />
    </section>
  );
}

function Rule({ visit }: Pick<Page, "visit">) {
  const { series } = visit.texts;
  const { timeZone } = visit.project;
  const today = new Intl.DateTimeFormat("sv", { dateStyle: "short", timeZone }).format(visit.now);
  const shows = { DAILY: undefined, WEEKLY: "weekly", MONTHLY: "monthly" };
  return (
    <fieldset class="card">
      <legend class="hidden">{series.when}</legend>
      <h2>{series.when}</h2>
      <FieldErrors visit={visit} name="rule" />
      <ChoiceList
        name="freq"
        options={FREQUENCIES.map((value) => ({ value, title: series.frequencies[value], shows: shows[value] }))}
        chosen={fieldValue(visit, "freq", "WEEKLY")}
        isSmall
      />
      <fieldset class="field only weekly">
        <legend>{series.days}</legend>
        <ChoiceList
          name="days"
          options={DAYS.map((value, index) => ({ value, title: weekdayName(visit, index + 1) }))}
          chosen={fieldValues(visit, "days") ?? []}
          isSmall
        />
      </fieldset>
      <div class="only monthly">
        <TextField
          visit={visit}
          name="month_days"
          label={series.monthDays}
          hint={series.monthDaysHint}
          input={{ autocomplete: "off" }}
        />
      </div>
      <TextField
        visit={visit}
        name="interval"
        type="number"
        label={series.interval}
        hint={series.intervalHint}
        value="1"
        input={{ min: 1, max: 366 }}
      />
      <div class="row">
        <TextField visit={visit} name="start_date" type="date" label={series.from} value={today} />
        <TextField visit={visit} name="start_clock" type="time" label={series.clock} value="09:00" />
        <TextField
          visit={visit}
          name="time_zone"
          label={series.zone}
          value={timeZone}
          input={{ autocomplete: "off", spellcheck: "false" }}
        />
      </div>
      <FieldErrors visit={visit} name="start_time" />
      <fieldset class="field">
        <legend>{series.end}</legend>
        <ChoiceList
          name="end"
          options={ENDS.map((value) => ({
            value,
            title: series.ends[value],
            shows: value === "never" ? undefined : value,
          }))}
          chosen={fieldValue(visit, "end", "never")}
          isSmall
        />
      </fieldset>
      <div class="only count">
        <TextField
          visit={visit}
          name="count"
          type="number"
          label={series.count}
          value="10"
          input={{ min: 1, max: 1000 }}
        />
      </div>
      <div class="only until">
        <TextField visit={visit} name="until" type="date" label={series.until} />
      </div>
    </fieldset>
  );
}

interface Dates {
  readonly visit: ProjectVisit;
  readonly timeZone: string;
  readonly dates: readonly Occurrence[];
  readonly texts: readonly string[];
  /** What the dates were made of (`timesOf`). */
  readonly times: string;
}

/** The first dates of the series, and the button that creates it. */
export function Dates({ visit, timeZone, dates, texts, times }: Dates) {
  const { series } = visit.texts;
  return (
    <section class="card" id="report" role="status">
      <DateList visit={visit} timeZone={timeZone} dates={dates} first={0} texts={texts} />
      <input type="hidden" name="times" value={times} />
      <div class="buttons">
        <button class="button first" type="submit">
          {series.submit}
        </button>
      </div>
    </section>
  );
}
