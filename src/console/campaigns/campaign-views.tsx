import { isFinished } from "../../boosts/change.ts";
import type { readLastShown } from "../../boosts/store.ts";
import type { Campaign, CampaignDay } from "../../boosts/table.ts";
import { spoken } from "../../core/money.ts";
import { includesRole } from "../../people/roles.ts";
import { platformTitle } from "../../platforms/facts.ts";
import type { PostTitle } from "../../posts/lists/titles.ts";
import { CHART_STYLE, Chart } from "../chart.tsx";
import type { ProjectVisit } from "../definition.ts";
import { FailureText } from "../failure-text.tsx";
import { DataTable, Facts } from "../lists.tsx";
import { PageStyle } from "../page-style.tsx";
import { Confirm, Notices, Time, Top } from "../parts.tsx";
import { Timeline } from "../posts/timeline.tsx";
import { budgetText, CampaignStateMark, campaignsPath, PostLink } from "./campaign-list.tsx";

type Shown = NonNullable<Awaited<ReturnType<typeof readLastShown>>>;

interface CampaignPage extends Shown {
  readonly visit: ProjectVisit;
  readonly title: PostTitle | undefined;
}

/** A campaign: what is wanted, what exists, what was spent, and what happened. */
export function CampaignPage({ visit, campaign, days, events, title }: CampaignPage) {
  const { campaigns: texts } = visit.texts;
  return (
    <>
      <PageStyle visit={visit} rules={CHART_STYLE} />
      <Top
        title={campaign.name}
        lead={`${platformTitle(campaign.platform)} · ${texts.pageTitle({ number: campaign.id })}`}
      >
        <a class="button" href={campaignsPath(visit)}>
          {texts.all}
        </a>
      </Top>
      <Notices visit={visit} />
      <Standing visit={visit} campaign={campaign} title={title} />
      <Terms visit={visit} campaign={campaign} />
      <Figures visit={visit} campaign={campaign} days={days} />
      <Timeline visit={visit} events={events} />
    </>
  );
}

interface Part {
  readonly visit: ProjectVisit;
  readonly campaign: Campaign;
}

function Standing({ visit, campaign, title }: Part & Pick<CampaignPage, "title">) {
  const { campaigns: texts } = visit.texts;
  const { currency, decimals, spendMinor, committed } = campaign;
  const number = new Intl.NumberFormat(visit.language);
  const at = (time: number | null) =>
    time === null ? null : <Time at={time} zone={visit.project.timeZone} visit={visit} />;
  const left = Math.max(0, (committed ?? 0) - spendMinor);
  return (
    <section class={campaign.state === "rejected" || campaign.state === "failed" ? "card bad" : "card"}>
      <div class="line">
        <p>
          <b class="figure">{spoken(spendMinor, currency, decimals)}</b> <span class="about">{texts.spent}</span>
        </p>
        <CampaignStateMark visit={visit} state={campaign.state} />
      </div>
      {campaign.reason !== null && (
        <p class="note bad">
          <FailureText visit={visit} code={campaign.errorCode} sentence={campaign.reason} />
        </p>
      )}
      {campaign.goal === "failed" && campaign.endedAt === null && <p class="note">{texts.ending}</p>}
      <Facts
        items={[
          [texts.reach, number.format(campaign.reach)],
          [texts.impressions, number.format(campaign.impressions)],
          [texts.mostCost, left === 0 ? null : spoken(left, currency, decimals)],
          [texts.asOf, campaign.liveAt === null ? null : at(campaign.spendAt)],
          [texts.post, <PostLink visit={visit} id={campaign.postId} title={title} />],
          [texts.channel, title?.channel.name ?? null],
          [visit.texts.posts.code, campaign.errorCode === null ? null : <code>{campaign.errorCode}</code>],
          [texts.created, at(campaign.createdAt)],
          [texts.live, at(campaign.liveAt)],
          [texts.ended, at(campaign.endedAt)],
          [texts.number, String(campaign.id)],
        ]}
      />
      {includesRole(visit.role, "editor") && <Buttons visit={visit} campaign={campaign} />}
    </section>
  );
}

function Buttons({ visit, campaign }: Part) {
  const { campaigns: texts } = visit.texts;
  const path = `${campaignsPath(visit)}/${campaign.id}`;
  return (
    <div class="buttons">
      {!isFinished(campaign) && (
        <a class="button" href={`${path}/edit`}>
          {texts.edit}
        </a>
      )}
      <Confirm
        visit={visit}
        id="delete"
        button={texts.remove}
        title={texts.removeTitle({ name: campaign.name })}
        lead={texts.removeLead}
        action={`${path}/delete`}
      />
    </div>
  );
}

/** The wanted terms, and how far they are those of the platform. */
function Terms({ visit, campaign }: Part) {
  const { campaigns: texts } = visit.texts;
  const { wantedTerms: terms } = campaign;
  const regions = new Intl.DisplayNames(visit.language, { type: "region", fallback: "code" });
  const objects = Object.entries(campaign.platformObjectIds);
  return (
    <section class="card">
      <h2>{texts.wanted.title}</h2>
      <Facts
        items={[
          [texts.wanted.budget, budgetText(visit, campaign, terms)],
          [texts.wanted.objective, texts.fields.objectives[terms.objective]],
          [texts.wanted.countries, listed(terms.countries.map((code) => regions.of(code) ?? code))],
          [texts.interests, listed(terms.interests.map(({ name }) => name))],
          [texts.audience, listed(terms.audiences)],
          [texts.account, terms.adAccountId],
          [texts.kind, campaign.boostType],
        ]}
      />
      <h2>{texts.exists.title}</h2>
      <p>{texts.exists[standingOf(campaign)]}</p>
      {campaign.liveTerms && standingOf(campaign) === "pending" && (
        <Facts items={[[texts.exists.applied, budgetText(visit, campaign, campaign.liveTerms)]]} />
      )}
      {objects.length === 0 ? (
        <p class="about">{texts.exists.none}</p>
      ) : (
        <Facts items={objects.map(([name, id]) => [name, <code>{id}</code>])} />
      )}
    </section>
  );
}

const listed = (texts: readonly string[]): string | null => (texts.length === 0 ? null : texts.join(", "));

function standingOf({ liveTerms, isReverting, isBeingReplaced, revision, liveRevision, activatedAt }: Campaign) {
  if (isBeingReplaced) return "replaced";
  if (isReverting) return "reverting";
  if (liveTerms === null || activatedAt === null) return "notLive";
  return revision === liveRevision ? "applied" : "pending";
}

/** Longer tables are folded. */
const MOST_OPEN = 14;

function Figures({ visit, campaign, days }: Part & { readonly days: readonly CampaignDay[] }) {
  const { figures: texts } = visit.texts.campaigns;
  const { currency, decimals } = campaign;
  const money = (minor: number) => spoken(minor, currency, decimals);
  const number = new Intl.NumberFormat(visit.language);
  const date = new Intl.DateTimeFormat(visit.language, { dateStyle: "medium", timeZone: "UTC" });
  const dayText = ({ day }: CampaignDay) => date.format(new Date(`${day}T00:00:00Z`));
  const [first, last] = [days.at(0), days.at(-1)];
  const { columns } = texts;
  if (!first || !last || campaign.liveAt === null) {
    return (
      <section class="card">
        <h2>{texts.title}</h2>
        <p>{texts.empty}</p>
      </section>
    );
  }
  const ends = [dayText(first), dayText(last)] as const;
  return (
    <section class="card">
      <h2>{texts.title}</h2>
      <div class="charts">
        <Chart
          title={texts.spend}
          values={days.map(({ spendMinor }) => spendMinor)}
          ends={ends}
          most={money(last.spendMinor)}
        />
        <Chart
          title={texts.reach}
          values={days.map(({ reach }) => reach)}
          ends={ends}
          most={number.format(last.reach)}
        />
      </div>
      <details open={days.length <= MOST_OPEN}>
        <summary class="name">{texts.table}</summary>
        <DataTable
          caption={texts.table}
          columns={[
            { title: columns.day },
            { title: columns.spent, isNumber: true },
            { title: columns.total, isNumber: true },
            { title: columns.reach, isNumber: true },
            { title: columns.impressions, isNumber: true },
          ]}
          rows={days.map((day, index) => [
            <time datetime={day.day}>{dayText(day)}</time>,
            money(day.spendMinor - (days[index - 1]?.spendMinor ?? 0)),
            money(day.spendMinor),
            number.format(day.reach),
            number.format(day.impressions),
          ])}
        />
      </details>
    </section>
  );
}
