import type { WalkOf } from "../../db/id-list.ts";
import { DELIVERY_STATES, type DeliveryState } from "../../deliveries/table.ts";
import { bodyOfDelivery, type ListedDelivery } from "../../webhooks/delivery-store.ts";
import type { ProjectVisit } from "../definition.ts";
import { FormButton } from "../form-buttons.tsx";
import { ListPager, State, type StateKind } from "../lists.tsx";
import { Time } from "../parts.tsx";
import { answerIn } from "../problem-texts.ts";

const KINDS: Readonly<Record<DeliveryState, StateKind>> = { waiting: "warn", delivered: "good", failed: "bad" };

interface Deliveries {
  readonly visit: ProjectVisit;
  readonly base: string;
  readonly deliveries: WalkOf<ListedDelivery>;
  readonly filter: { readonly before: number | null; readonly state: DeliveryState | null };
}

/** What was sent, with each attempt: requests and answers are shown as text. */
export function Deliveries({ visit, base, deliveries, filter }: Deliveries) {
  const { deliveries: texts } = visit.texts.webhooks;
  const { items, next } = deliveries;
  const query = filter.state === null ? "" : `state=${filter.state}`;
  return (
    <section class="stack">
      <div>
        <h2>{texts.title}</h2>
        <p class="lead">{texts.lead}</p>
      </div>
      <nav class="tabs" aria-label={texts.filter}>
        {([null, ...DELIVERY_STATES] as const).map((state) => (
          <a
            href={state === null ? base : `${base}?state=${state}`}
            aria-current={state === filter.state ? "true" : undefined}
          >
            {texts.filters[state ?? "all"]}
          </a>
        ))}
      </nav>
      {items.length === 0 ? (
        <p class="card">{texts.empty}</p>
      ) : (
        <ul class="card flush" aria-label={texts.title}>
          {items.map((delivery) => (
            <DeliveryRow visit={visit} delivery={delivery} />
          ))}
        </ul>
      )}
      <ListPager
        texts={texts}
        newest={filter.before === null ? null : `${base}?${query}`}
        older={next === null ? null : `${base}?${query}&before=${next}`}
      />
    </section>
  );
}

function DeliveryRow({ visit, delivery }: { readonly visit: ProjectVisit; readonly delivery: ListedDelivery }) {
  const { deliveries: texts } = visit.texts.webhooks;
  const zone = visit.project.timeZone;
  return (
    <li class="fold">
      <details>
        <summary>
          <span class="what">
            <span class="name">{delivery.type}</span>
            <span class="about">
              <Time at={delivery.createdAt} zone={zone} visit={visit} />
            </span>
          </span>
          <State kind={KINDS[delivery.state]} text={texts.states[delivery.state]} />
        </summary>
        <div class="inside">
          {delivery.nextAt !== null && (
            <p>
              {texts.next}: <Time at={delivery.nextAt} zone={zone} visit={visit} />
            </p>
          )}
          <div class="secret">
            <span class="label">{texts.request}</span>
            <pre class="mono">{prettyBody(delivery) ?? texts.erased}</pre>
          </div>
          {delivery.tries.map((one, index) => (
            <div class="secret">
              <span class="label">
                <span>{texts.attempt({ number: index + 1 })}</span>
                <span class="about">
                  <Time at={one.at} zone={zone} visit={visit} /> ·{" "}
                  {one.status === null ? texts.noAnswer : texts.answer({ status: one.status, ms: one.ms })}
                </span>
              </span>
              {one.problem !== null && <p class="error">{answerIn(one.problem, visit.language)}</p>}
              {one.answer !== null && <pre class="mono">{one.answer === "" ? texts.emptyAnswer : one.answer}</pre>}
            </div>
          ))}
          <FormButton
            visit={visit}
            action={`/console/projects/${visit.project.id}/deliveries/${delivery.id}/replay`}
            text={texts.again}
            kind="small"
          />
        </div>
      </details>
    </li>
  );
}

/** The signed body with line breaks; null if its event was erased. */
function prettyBody(delivery: ListedDelivery): string | null {
  const body = bodyOfDelivery(delivery, delivery.event);
  return body === null ? null : JSON.stringify(JSON.parse(body), null, 2);
}
