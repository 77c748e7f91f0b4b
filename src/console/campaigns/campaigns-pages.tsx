import { type AdAccess, type AdRequest, requireAdAccess } from "../../boosts/ad-account.ts";
import { changeCampaign, deleteCampaign } from "../../boosts/change.ts";
import { createCampaign, findBoostable, findCreatedCampaign } from "../../boosts/create.ts";
import { listCountries, searchInterests } from "../../boosts/estimate.ts";
import { type UpdateCampaignBody, ValidateBudgetBody } from "../../boosts/schema.ts";
import { findCampaign, listCampaignsByCursor, readLastShown } from "../../boosts/store.ts";
import type { Campaign } from "../../boosts/table.ts";
import { absent } from "../../core/errors.ts";
import { type CampaignId, idOf, type PostId } from "../../core/ids.ts";
import { readTogether } from "../../db/client.ts";
import { PLATFORM_NAMES } from "../../platforms/names.ts";
import { findPlatform } from "../../platforms/registry.ts";
import { selectLiveTitles, selectRestingTitles, selectTitles, withResting } from "../../posts/lists/titles.ts";
import { apiBody } from "../api-body.ts";
import { firstOf } from "../compose/compose-form.ts";
import { AnyFields } from "../compose/create-posts.ts";
import {
  type Entry,
  type Fields,
  NO_FORM,
  type ProjectVisit,
  projectAction,
  projectPage,
  type Redirect,
  type ShowForm,
} from "../definition.ts";
import { idIn, NoFields } from "../fields.ts";
import { onceForForm, requireFormKey } from "../once-for-form.ts";
import { Notices, Top } from "../parts.tsx";
import { isRefusal, isShown } from "../refusal.ts";
import { createBody, interestValue, updateBody, valuesOf } from "./campaign-form.ts";
import { CampaignList, ChoosePost, campaignsPath } from "./campaign-list.tsx";
import { CampaignPage } from "./campaign-views.tsx";
import { Agreement, agreementOf, type Estimated, estimate } from "./estimate.tsx";
import { Impossible } from "./impossible.tsx";
import { orRefusal } from "./or-refusal.ts";
import { offerOf, TermsForm } from "./terms-form.tsx";

/**
 * Boost campaigns: the operations of the API. A form is sent twice: first it shows the estimate; then, with
 * the amount that the person agrees to, it starts or changes the campaign.
 */

const PATH = "/projects/:project/campaigns";
const NEW_PATH = `${PATH}/new`;
const CAMPAIGN_PATH = `${PATH}/:campaign`;
const EDIT_PATH = `${CAMPAIGN_PATH}/edit`;
const SHOWN = 20;
const SHOWN_POSTS = 50;
const MOST_EVENTS = 200;
const BOOSTABLE = PLATFORM_NAMES.filter((name) => findPlatform(name)?.ads);

const campaignIdOf = ({ params }: ProjectVisit): CampaignId => idOf<CampaignId>(idIn(params.campaign));
const pathOf = (visit: ProjectVisit, id: number): string => `${campaignsPath(visit)}/${id}`;
const requestOf = ({ deps, caller, origin }: ProjectVisit): AdRequest => ({ deps, caller, origin });

const listPage = projectPage({
  path: PATH,
  role: "viewer",
  menu: { title: ({ campaigns }) => campaigns.title, icon: "megaphone" },
  title: ({ campaigns }) => campaigns.title,
  load: async ({ deps, project, query }) => {
    const after = idIn(query.after) || null;
    const list = await listCampaignsByCursor(deps.db, project.id, { after, limit: SHOWN });
    const ids = list.found.items.map(({ postId }) => postId);
    const titles = ids.length === 0 ? [] : await selectTitles(deps.db, project.id, ids);
    return { ...list, titles, isFirst: after === null };
  },
  view: (list, visit) => <CampaignList visit={visit} {...list} />,
});

const newPage = projectPage({
  path: NEW_PATH,
  role: "editor",
  needsRecentSignIn: true,
  title: ({ campaigns }) => campaigns.chooseTitle,
  load: async (visit) => {
    const { deps, project, query, form } = visit;
    const inForm = firstOf(form.fields, "social_post_id");
    const id = idIn(inForm || query.post);
    const choose = async () => {
      const sought = { platforms: BOOSTABLE, words: "", limit: SHOWN_POSTS };
      const { found, atRest } = await readTogether(deps.db, {
        found: selectLiveTitles(deps.db, project.id, sought),
        atRest: selectRestingTitles(deps.db, project.id, [], sought),
      });
      const titles = await withResting(deps, { chosen: [], found, atRest }, [], sought);
      return { kind: "choose", titles: titles.found } as const;
    };
    if (id === 0) return choose();
    const read = async () => {
      const { post, advertiser } = await findBoostable(requestOf(visit), idOf<PostId>(id));
      return { kind: "terms", id, post, channel: advertiser.channel, offer: await offerOf(advertiser) } as const;
    };
    const offered = await orRefusal(visit, read, inForm === "" ? isShown : isRefusal);
    // The form for the terms needs a post: another one is to be chosen.
    if (offered.kind === "refused" && offered.isAbsent) return choose();
    return { ...offered, id };
  },
  view: (found, visit) => {
    const { campaigns: texts } = visit.texts;
    if (found.kind === "choose") return <ChoosePost visit={visit} titles={found.titles} />;
    if (found.kind === "refused") return <Impossible visit={visit} message={found.message} />;
    const { channel, offer, id, post } = found;
    return (
      <>
        <Top title={texts.newTitle} lead={texts.newLead} />
        <p class="facts">
          <b>{channel.name}</b>
          <span>{(post.caption || (post.thread[0]?.message ?? "")).slice(0, MOST_LETTERS)}</span>
        </p>
        <Notices visit={visit} />
        {visit.form.report}
        <TermsForm visit={visit} action={campaignsPath(visit)} offer={offer} hidden={{ social_post_id: String(id) }} />
      </>
    );
  },
});

const MOST_LETTERS = 160;

const createAction = projectAction({
  effect: "creates",
  path: PATH,
  page: NEW_PATH,
  role: "editor",
  needsRecentSignIn: true,
  body: () => AnyFields,
  run: async (visit, fields, key): Promise<Redirect | ShowForm> => {
    const request = requestOf(visit);
    const postId = idOf<PostId>(idIn(firstOf(fields, "social_post_id")));
    if (isSearch(fields)) {
      const { advertiser } = await findBoostable(request, postId);
      return withInterests(fields, advertiser, firstOf(fields, "ad_account_id"));
    }
    const body = createBody(fields);
    requireFormKey(fields);
    const { live, advertiser } = await findBoostable(request, idOf<PostId>(body.social_post_id));
    const terms = { ...body, channel_id: advertiser.channel.id };
    const estimated = await estimate(advertiser, terms, live);
    const action = campaignsPath(visit);
    if (!isAgreed(fields, estimated)) return shown(visit, fields, { estimated, action, isChange: false });
    const campaign = await onceForForm(
      visit,
      { key, operationId: "createCampaign", body },
      (idempotency) => createCampaign(request, body, idempotency),
      (stored) => findCreatedCampaign(request, stored),
    );
    return { to: pathOf(visit, campaign.id), flash: { notice: visit.texts.campaigns.accepted } };
  },
});

const isSearch = (fields: Fields): boolean => firstOf(fields, "act") === "interests";
const isAgreed = (fields: Fields, estimated: Estimated): boolean =>
  firstOf(fields, "agreed") === agreementOf(estimated);

async function withInterests(fields: Fields, advertiser: AdAccess, adAccountId: string): Promise<ShowForm> {
  const words = firstOf(fields, "interest_words");
  const interests = words === "" ? [] : await searchInterests(advertiser, { adAccountId, words });
  const found = interests.slice(0, MOST_FOUND).map(interestValue);
  return { again: { ...NO_FORM, fields: { ...fields, found } }, status: 200 };
}

const MOST_FOUND = 25;

interface Shown {
  readonly estimated: Estimated;
  readonly action: string;
  readonly isChange: boolean;
}

/** The estimate, with the form that agrees to it. An amount that has changed meanwhile is agreed to again. */
function shown(visit: ProjectVisit, fields: Fields, of: Shown): ShowForm {
  const report = <Agreement visit={visit} fields={fields} {...of} />;
  const isOutdated = firstOf(fields, "agreed") !== "";
  const problem = isOutdated ? visit.texts.campaigns.estimate.changed : null;
  return { again: { ...NO_FORM, fields, report, problem }, status: isOutdated ? 422 : 200 };
}

const campaignPage = projectPage({
  path: CAMPAIGN_PATH,
  role: "viewer",
  title: ({ campaigns }, visit) => campaigns.pageTitle({ number: campaignIdOf(visit) }),
  load: async (visit) => {
    const { deps, project } = visit;
    const id = campaignIdOf(visit);
    const found = await readLastShown(deps.db, project.id, id, MOST_EVENTS);
    if (!found) throw absent("campaign", id);
    const [title] = await selectTitles(deps.db, project.id, [found.campaign.postId]);
    return { ...found, title };
  },
  view: (found, visit) => <CampaignPage visit={visit} {...found} />,
});

async function campaignOf(visit: ProjectVisit): Promise<Campaign> {
  const id = campaignIdOf(visit);
  const campaign = await findCampaign(visit.deps.db, visit.project.id, id);
  if (!campaign) throw absent("campaign", id);
  return campaign;
}

const editPage = projectPage({
  path: EDIT_PATH,
  role: "editor",
  needsRecentSignIn: true,
  title: ({ campaigns }) => campaigns.editTitle,
  load: async (visit) => {
    const campaign = await campaignOf(visit);
    const offered = await orRefusal(visit, async () => {
      const advertiser = await requireAdAccess(requestOf(visit), campaign.channelId, "campaign_id");
      const countries = await listCountries(advertiser, campaign.wantedTerms.adAccountId);
      return { kind: "terms", offer: { accounts: null, countries, objectives: advertiser.ads.objectives } } as const;
    });
    return { ...offered, campaign };
  },
  view: (found, visit) => {
    const { campaigns: texts } = visit.texts;
    if (found.kind === "refused") {
      return <Impossible visit={visit} message={found.message} channelId={found.campaign.channelId} />;
    }
    return (
      <>
        <Top title={texts.editTitle} lead={texts.editLead}>
          <a class="button" href={pathOf(visit, found.campaign.id)}>
            {texts.pageTitle({ number: found.campaign.id })}
          </a>
        </Top>
        <Notices visit={visit} />
        {visit.form.report}
        <TermsForm
          visit={visit}
          action={pathOf(visit, found.campaign.id)}
          offer={found.offer}
          hidden={{}}
          values={valuesOf(found.campaign)}
        />
      </>
    );
  },
});

const saveAction = projectAction({
  effect: "sets",
  path: CAMPAIGN_PATH,
  page: EDIT_PATH,
  role: "editor",
  needsRecentSignIn: true,
  body: () => AnyFields,
  run: async (visit, fields): Promise<Redirect | ShowForm> => {
    const request = requestOf(visit);
    const { id, channelId, wantedTerms } = await campaignOf(visit);
    const advertiser = await requireAdAccess(request, channelId, "campaign_id");
    if (isSearch(fields)) return withInterests(fields, advertiser, wantedTerms.adAccountId);
    const body = updateBody(fields);
    const terms = termsFor(body, advertiser, wantedTerms.adAccountId);
    const estimated = await estimate(advertiser, terms, null);
    const action = pathOf(visit, id);
    if (!isAgreed(fields, estimated)) return shown(visit, fields, { estimated, action, isChange: true });
    await changeCampaign(request, id, body, null);
    return { to: action, flash: { notice: visit.texts.campaigns.saved } };
  },
});

/** All fields of the form are sent, so the terms are complete. */
function termsFor(body: UpdateCampaignBody, { channel }: AdAccess, adAccountId: string): ValidateBudgetBody {
  const { interests, audience, boost_type: _, ...rest } = body;
  const given = {
    channel_id: channel.id,
    ad_account_id: adAccountId,
    interests: interests ?? [],
    audience: audience ?? [],
  };
  return apiBody(ValidateBudgetBody, { ...rest, ...given });
}

const deleteAction = projectAction({
  effect: "sets",
  path: `${CAMPAIGN_PATH}/delete`,
  page: CAMPAIGN_PATH,
  role: "editor",
  body: () => NoFields,
  run: async (visit) => {
    const { name } = await deleteCampaign(requestOf(visit), campaignIdOf(visit));
    const notice = visit.texts.campaigns.deleted({ name });
    return { to: campaignsPath(visit), flash: { notice } };
  },
});

export const CAMPAIGNS: readonly Entry[] = [
  listPage,
  newPage,
  createAction,
  campaignPage,
  editPage,
  saveAction,
  deleteAction,
];
