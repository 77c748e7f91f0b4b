import type { WalkOf } from "../../db/id-list.ts";
import type { DeliveryState, Webhook } from "../../deliveries/table.ts";
import type { ListedDelivery } from "../../webhooks/delivery-store.ts";
import type { ProjectVisit } from "../definition.ts";
import { DeleteButton, FormButton } from "../form-buttons.tsx";
import { Facts } from "../lists.tsx";
import { Confirm, Form, Notices, Secret, Time, Top } from "../parts.tsx";
import { Deliveries } from "./deliveries.tsx";
import { WebhookFields, WebhookState } from "./webhook-list.tsx";

interface WebhookDetails {
  readonly visit: ProjectVisit;
  readonly webhook: Webhook;
  readonly deliveries: WalkOf<ListedDelivery>;
  readonly filter: { readonly before: number | null; readonly state: DeliveryState | null };
}

export function WebhookDetails({ visit, webhook, deliveries, filter }: WebhookDetails) {
  const { webhooks: texts } = visit.texts;
  const { timeZone: zone, id } = visit.project;
  const list = `/console/projects/${id}/webhooks`;
  const base = `${list}/${webhook.id}`;
  const isEnabled = webhook.state === "enabled";
  return (
    <>
      <Top title={webhook.url} lead={webhook.description ?? undefined}>
        <a class="button" href={list}>
          {texts.all}
        </a>
      </Top>
      <Notices visit={visit} />
      <section class="card">
        <Facts
          items={[
            [visit.texts.tokens.columns.status, <WebhookState visit={visit} webhook={webhook} />],
            [texts.failingSince, webhook.failingSince && <Time at={webhook.failingSince} zone={zone} visit={visit} />],
            [
              texts.fields.events,
              webhook.types === null ? texts.allEvents : texts.eventCount({ count: webhook.types.length }),
            ],
            [texts.created, <Time at={webhook.createdAt} zone={zone} visit={visit} />],
            [texts.number, String(webhook.id)],
          ]}
        />
        {webhook.disabledReason !== null && <p class="note bad">{texts.reasons[webhook.disabledReason]}</p>}
        <div class="buttons">
          {isEnabled && <FormButton visit={visit} action={`${base}/test`} text={texts.test} kind="first" />}
          <Form visit={visit} action={`${base}/state`} inline>
            <input type="hidden" name="status" value={isEnabled ? "disabled" : "enabled"} />
            <button class={isEnabled ? "button" : "button first"} type="submit">
              {isEnabled ? texts.disable : texts.enable}
            </button>
          </Form>
        </div>
      </section>
      <Deliveries visit={visit} base={base} deliveries={deliveries} filter={filter} />
      {isEnabled && <Replay visit={visit} base={base} />}
      <section class="card">
        <details open={Object.keys(visit.form.errors).length > 0}>
          <summary>
            <h2>{texts.settings}</h2>
          </summary>
          <Form visit={visit} action={base}>
            <WebhookFields visit={visit} webhook={webhook} />
            <div class="buttons">
              <button class="button first" type="submit">
                {texts.save}
              </button>
            </div>
          </Form>
        </details>
      </section>
      <section class="card">
        <div>
          <h2>{texts.secret.card}</h2>
          <p class="lead">{texts.secret.about}</p>
        </div>
        {webhook.oldUntil !== null && webhook.oldUntil > visit.now && (
          <p>
            {texts.secret.old} <Time at={webhook.oldUntil} zone={zone} visit={visit} />
          </p>
        )}
        <div class="buttons">
          <Confirm
            visit={visit}
            id="rotate"
            button={texts.secret.rotate}
            title={texts.secret.rotateTitle}
            lead={texts.secret.about}
            action={`${base}/rotate`}
          />
          <DeleteButton visit={visit} texts={texts} path={base} />
        </div>
      </section>
    </>
  );
}

function Replay({ visit, base }: { readonly visit: ProjectVisit; readonly base: string }) {
  const { replay: texts } = visit.texts.webhooks;
  const { replayed = "", hours = "24" } = visit.query;
  const isContinued = /^[1-9]\d{0,14}$/.test(replayed);
  return (
    <section class="card" id="replay">
      <div>
        <h2>{texts.title}</h2>
        <p class="lead">{texts.lead}</p>
      </div>
      <Form visit={visit} action={`${base}/replay`}>
        <input type="hidden" name="cursor" value={isContinued ? replayed : ""} />
        <div class="field">
          <label for="hours">{texts.range}</label>
          <select id="hours" name="hours">
            {(["1", "24", "168", "720"] as const).map((value) => (
              <option value={value} selected={value === hours}>
                {texts.ranges[value]}
              </option>
            ))}
          </select>
        </div>
        <div class="buttons">
          <button class="button" type="submit">
            {isContinued ? texts.proceed : texts.submit}
          </button>
        </div>
      </Form>
    </section>
  );
}

interface NewSecret {
  readonly visit: ProjectVisit;
  readonly webhook: Webhook;
  readonly secret: string;
}

/** Shown once, by the sealed cookie of the action. */
export function NewSecret({ visit, webhook, secret }: NewSecret) {
  const { secret: texts } = visit.texts.webhooks;
  return (
    <>
      <Top title={texts.title} lead={texts.lead} />
      <section class="card">
        <p class="note good" role="status">
          {visit.flash?.notice}
        </p>
        <Secret visit={visit} id="secret" label={texts.label} text={secret} />
        <div class="buttons">
          <a class="button first" href={`/console/projects/${visit.project.id}/webhooks/${webhook.id}`}>
            {texts.done}
          </a>
        </div>
      </section>
    </>
  );
}
