import type { Webhook } from "../../deliveries/table.ts";
import { LEAVING_NAMES } from "../../webhooks/catalog.ts";
import type { ProjectVisit } from "../definition.ts";
import { ObjectList, State } from "../lists.tsx";
import {
  ChoiceList,
  FieldErrors,
  Form,
  fieldValue,
  fieldValues,
  Notices,
  SubmitOrCancel,
  TextField,
  Time,
  Top,
} from "../parts.tsx";

export const webhooksPath = ({ project }: ProjectVisit): string => `/console/projects/${project.id}/webhooks`;

export function WebhookList({
  visit,
  webhooks,
}: {
  readonly visit: ProjectVisit;
  readonly webhooks: readonly Webhook[];
}) {
  const { webhooks: texts } = visit.texts;
  return (
    <ObjectList
      visit={visit}
      icon="hook"
      texts={texts}
      createAt={`${webhooksPath(visit)}/new`}
      isEmpty={webhooks.length === 0}
    >
      {webhooks.map((webhook) => (
        <li>
          <div class="what">
            <a class="name" href={`${webhooksPath(visit)}/${webhook.id}`}>
              {webhook.url}
            </a>
            <span class="facts">
              {webhook.description !== null && <span>{webhook.description}</span>}
              <span>
                {webhook.types === null ? texts.allEvents : texts.eventCount({ count: webhook.types.length })}
              </span>
              {webhook.failingSince !== null && (
                <span class="warning">
                  {texts.failingSince} <Time at={webhook.failingSince} zone={visit.project.timeZone} visit={visit} />
                </span>
              )}
            </span>
          </div>
          <WebhookState visit={visit} webhook={webhook} />
        </li>
      ))}
    </ObjectList>
  );
}

export function WebhookState({ visit, webhook }: { readonly visit: ProjectVisit; readonly webhook: Webhook }) {
  const { webhooks: texts } = visit.texts;
  if (webhook.state === "disabled") {
    const isOwnChoice = webhook.disabledReason === "on_request";
    return <State kind={isOwnChoice ? "off" : "bad"} text={texts.states.disabled} />;
  }
  return webhook.failingSince === null ? (
    <State kind="good" text={texts.states.enabled} />
  ) : (
    <State kind="warn" text={texts.failing} />
  );
}

export function NewWebhookForm({ visit }: { readonly visit: ProjectVisit }) {
  const { webhooks: texts } = visit.texts;
  return (
    <>
      <Top title={texts.createTitle} lead={texts.createLead} />
      <Notices visit={visit} />
      <section class="card">
        <Form visit={visit} action={webhooksPath(visit)}>
          <WebhookFields visit={visit} webhook={null} />
          <SubmitOrCancel visit={visit} submit={texts.create} cancel={webhooksPath(visit)} />
        </Form>
      </section>
    </>
  );
}

/** The fields of create-webhook and update-webhook. */
export function WebhookFields({ visit, webhook }: { readonly visit: ProjectVisit; readonly webhook: Webhook | null }) {
  const { form } = visit.texts;
  const { fields: texts, types } = visit.texts.webhooks;
  const which = fieldValue(visit, "which", webhook?.types ? "custom" : "all");
  const chosen = fieldValues(visit, "events") ?? webhook?.types ?? [];
  return (
    <>
      <TextField
        visit={visit}
        name="url"
        label={texts.url}
        hint={texts.urlHint}
        value={webhook?.url ?? ""}
        input={{ required: true, autocomplete: "off", inputmode: "url", placeholder: "https://" }}
      />
      <TextField
        visit={visit}
        name="description"
        label={`${texts.description} (${form.optional})`}
        value={webhook?.description ?? ""}
        input={{ autocomplete: "off", maxlength: 255 }}
      />
      <fieldset class="field">
        <legend>{texts.events}</legend>
        <ChoiceList
          name="which"
          options={(["all", "custom"] as const).map((value) => ({ value, ...texts.which[value], shows: value }))}
          chosen={which}
        />
        <ChoiceList
          name="events"
          options={LEAVING_NAMES.map((value) => ({ value, title: value, about: types[value] }))}
          chosen={chosen}
          isSmall
          only="custom"
        />
        <FieldErrors visit={visit} name="events" />
      </fieldset>
      <TextField
        visit={visit}
        name="events_per_request"
        type="number"
        label={texts.perRequest}
        hint={texts.perRequestHint}
        value={String(webhook?.eventsPerRequest ?? 1)}
        input={{ min: 1, max: 100 }}
      />
    </>
  );
}
