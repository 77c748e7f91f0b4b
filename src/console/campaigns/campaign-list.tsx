import type { Totals } from "../../boosts/store.ts";
import type { Campaign, CampaignState } from "../../boosts/table.ts";
import { spoken } from "../../core/money.ts";
import type { WalkOf } from "../../db/id-list.ts";
import { PlatformBadge } from "../../pages/platform-badge.tsx";
import { includesRole } from "../../people/roles.ts";
import { platformTitle } from "../../platforms/facts.ts";
import type { PostTitle } from "../../posts/lists/titles.ts";
import type { ProjectVisit, Visit } from "../definition.ts";
import { projectPath } from "../layout.tsx";
import { DataTable, ListPager, State, type StateKind } from "../lists.tsx";
import { Empty, Notices, Time, Top } from "../parts.tsx";
import { postPath } from "../posts/post-actions.ts";
import { postName } from "../posts/post-parts.tsx";

/** All campaigns of a project, and the posts of which one can be boosted. */

export const campaignsPath = ({ project }: Pick<ProjectVisit, "project">) => `${projectPath(project.id)}/campaigns`;

const KINDS: Readonly<Record<CampaignState, StateKind>> = {
  queued: "warn",
  creating: "warn",
  in_review: "warn",
  active: "good",
  paused: "off",
  completed: "off",
  rejected: "bad",
  failed: "bad",
  deleted: "off",
};

export function CampaignStateMark({ visit, state }: { readonly visit: Visit; readonly state: CampaignState }) {
  return <State kind={KINDS[state]} text={visit.texts.campaigns.states[state]} />;
}

/** The budget of these terms, in one line. */
export function budgetText(
  { texts }: Visit,
  { currency, decimals }: Pick<Campaign, "currency" | "decimals">,
  { budgetMinor, budgetType, days }: Campaign["wantedTerms"],
): string {
  return texts.campaigns.budgetOf({
    amount: spoken(budgetMinor, currency, decimals),
    isDaily: budgetType === "daily",
    days,
  });
}

interface CampaignList {
  readonly visit: ProjectVisit;
  readonly found: WalkOf<Campaign>;
  readonly totals: Totals;
  readonly titles: readonly PostTitle[];
  readonly isFirst: boolean;
}

export function CampaignList({ visit, found: { items, next }, totals, titles, isFirst }: CampaignList) {
  const { campaigns: texts } = visit.texts;
  const base = campaignsPath(visit);
  const mayCreate = includesRole(visit.role, "editor");
  const create = mayCreate && (
    <a class="button first" href={`${base}/new`}>
      {texts.create}
    </a>
  );
  const { columns } = texts;
  const isEmpty = items.length === 0 && isFirst;
  const number = new Intl.NumberFormat(visit.language);
  return (
    <>
      <Top title={texts.title} lead={texts.lead}>
        {!isEmpty && create}
      </Top>
      <Notices visit={visit} />
      {isEmpty ? (
        <Empty
          icon="megaphone"
          title={mayCreate ? texts.emptyTitle : texts.title}
          lead={mayCreate ? texts.emptyLead : texts.emptyViewer}
        >
          {create}
        </Empty>
      ) : (
        <>
          <p class="facts">
            <span>{texts.totals}:</span>
            <span>
              {texts.reach} {number.format(totals.reach)}
            </span>
            <span>
              {texts.impressions} {number.format(totals.impressions)}
            </span>
          </p>
          <DataTable
            caption={texts.title}
            columns={[
              { title: columns.campaign },
              { title: columns.state },
              { title: columns.post },
              { title: columns.channel },
              { title: columns.budget },
              { title: columns.spent, isNumber: true },
            ]}
            rows={items.map((campaign) => {
              const title = titles.find(({ id }) => id === campaign.postId);
              return [
                <a href={`${base}/${campaign.id}`}>{campaign.name}</a>,
                <CampaignStateMark visit={visit} state={campaign.state} />,
                <PostLink visit={visit} id={campaign.postId} title={title} />,
                <>
                  {title?.channel.name}
                  <br />
                  <span class="about">{platformTitle(campaign.platform)}</span>
                </>,
                budgetText(visit, campaign, campaign.wantedTerms),
                spoken(campaign.spendMinor, campaign.currency, campaign.decimals),
              ];
            })}
          />
        </>
      )}
      <ListPager texts={texts} newest={isFirst ? null : base} older={next === null ? null : `${base}?after=${next}`} />
    </>
  );
}

interface PostLink {
  readonly visit: ProjectVisit;
  readonly id: number;
  /** Absent if the post was erased. */
  readonly title: PostTitle | undefined;
}

export function PostLink({ visit, id, title }: PostLink) {
  const name = title ? postName(visit.texts, title) : visit.texts.posts.pageTitle({ id });
  return title ? <a href={postPath(visit.project.id, id)}>{name}</a> : name;
}

/** The live posts, each with the way to boost it. */
export function ChoosePost({ visit, titles }: { readonly visit: ProjectVisit; readonly titles: readonly PostTitle[] }) {
  const { campaigns: texts } = visit.texts;
  const base = campaignsPath(visit);
  return (
    <>
      <Top title={texts.chooseTitle} lead={texts.chooseLead}>
        <a class="button" href={base}>
          {texts.all}
        </a>
      </Top>
      <Notices visit={visit} />
      {titles.length === 0 ? (
        <Empty icon="post" title={texts.noPosts} lead={texts.noPostsLead} />
      ) : (
        <ul class="card flush items" aria-label={texts.chooseTitle}>
          {titles.map((title) => (
            <li>
              <PlatformBadge platform={title.channelType} />
              <div class="what">
                <span class="name">{postName(visit.texts, title)}</span>
                <span class="facts">
                  <span>{title.channel.name}</span>
                  <span>{platformTitle(title.channelType)}</span>
                  {title.publishedAt !== null && (
                    <Time at={title.publishedAt} zone={visit.project.timeZone} visit={visit} />
                  )}
                </span>
              </div>
              <a class="button small" href={`${base}/new?post=${title.id}`}>
                {texts.boost}
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
