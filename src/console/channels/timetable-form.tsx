import type { ChannelState } from "../../channels/store.ts";
import { WEEKDAYS } from "../../channels/weekly-slots.ts";
import { toTimetableView } from "../../posts/timetable/timetable-schema.ts";
import type { ProjectVisit } from "../definition.ts";
import { FormButton } from "../form-buttons.tsx";
import { Facts } from "../lists.tsx";
import { FieldErrors, Form, TextField } from "../parts.tsx";

interface TimetableForm {
  readonly visit: ProjectVisit;
  readonly channel: ChannelState;
  readonly isEditor: boolean;
}

/** The times at which the queue publishes, a field for each weekday. */
export function TimetableForm({ visit, channel, isEditor }: TimetableForm) {
  const { timetable: texts } = visit.texts.channels;
  const view = toTimetableView(channel, visit.project.timeZone);
  const base = `/console/projects/${visit.project.id}/channels/${channel.id}`;
  const timesOf = (day: (typeof WEEKDAYS)[number]): string => view.slots[day].join(", ");
  return (
    <section class="card">
      <div>
        <h2>{texts.title}</h2>
        <p class="lead">
          {texts.lead({ zone: view.time_zone })} {view.is_default && texts.isDefault}
        </p>
      </div>
      {view.paused && <p class="note">{texts.paused}</p>}
      {isEditor ? (
        <Form visit={visit} action={`${base}/timetable`}>
          <div class="choices">
            {WEEKDAYS.map((day) => (
              <TextField
                visit={visit}
                name={`slots.${day}`}
                label={texts.days[day]}
                value={timesOf(day)}
                input={{ placeholder: texts.none, autocomplete: "off", inputmode: "text" }}
              />
            ))}
          </div>
          <FieldErrors visit={visit} name="slots" />
          <TextField
            visit={visit}
            name="time_zone"
            label={texts.zone}
            hint={texts.zoneHint({ zone: visit.project.timeZone })}
            value={channel.slotsZone ?? ""}
            input={{ autocomplete: "off", spellcheck: "false" }}
          />
          <div class="buttons">
            <button class="button first" type="submit">
              {texts.save}
            </button>
          </div>
        </Form>
      ) : (
        <Facts items={WEEKDAYS.map((day) => [texts.days[day], timesOf(day) || texts.none])} />
      )}
      {isEditor && (
        <div class="buttons">
          <QueueButton visit={visit} base={base} change={view.paused ? "resume" : "pause"} />
          {!view.is_default && <QueueButton visit={visit} base={base} change="default_times" />}
        </div>
      )}
    </section>
  );
}

interface QueueButton {
  readonly visit: ProjectVisit;
  readonly base: string;
  readonly change: "pause" | "resume" | "default_times";
}

function QueueButton({ visit, base, change }: QueueButton) {
  return (
    <FormButton
      visit={visit}
      action={`${base}/queue`}
      values={{ change }}
      text={visit.texts.channels.timetable.changes[change]}
    />
  );
}
