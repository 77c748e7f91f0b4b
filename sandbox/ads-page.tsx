// The page of ads: each campaign with its state, budget, spend, reach and promoted post.

import { FRAME_STYLE, readable, Top } from "./frame";
import { page } from "./page";
import type { LiveAd } from "./platform";
import type { Sandbox } from "./sandbox";

const SHOWN = 100;

export function adsPage(sandbox: Sandbox, only: string | undefined): Response {
  const platforms = sandbox.platforms.filter((platform) => only === undefined || platform.name === only);
  const all = platforms.flatMap((platform) => platform.ads?.() ?? []).filter(({ status }) => !isDeleted(status));
  const campaigns = all
    .filter(({ kind }) => kind === "campaign")
    .sort((a, b) => b.created_at.localeCompare(a.created_at) || b.id.localeCompare(a.id));
  const body = (
    <>
      <Top title="Ads" platforms={sandbox.platforms} only={only} path="/ads" />
      <main>
        {campaigns.length === 0 ? <Empty /> : null}
        {campaigns.slice(0, SHOWN).map((campaign) => (
          <CampaignCard sandbox={sandbox} campaign={campaign} all={all} />
        ))}
        <p class="more">
          {campaigns.length > SHOWN ? `${campaigns.length - SHOWN} older campaigns are not shown. ` : ""}
          <a href="/_control/ads?deleted=true">All as JSON</a>, with those that were deleted
        </p>
      </main>
    </>
  );
  return page({ title: "Ads in the sandbox", style: FRAME_STYLE + STYLE, body, formAction: "'none'" });
}

const isDeleted = (status: string) => /delete/i.test(status);

function Empty() {
  return (
    <section class="empty">
      <h2>Nothing is advertised yet</h2>
      <p>Boosted posts appear here with their costs, from the review to the end.</p>
    </section>
  );
}

interface Card {
  sandbox: Sandbox;
  campaign: LiveAd;
  all: readonly LiveAd[];
}

function CampaignCard({ sandbox, campaign, all }: Card) {
  const platform = sandbox.platforms.find((one) => one.name === campaign.platform);
  const isOwn = (one: LiveAd) => one.platform === campaign.platform;
  const sets = all.filter((one) => isOwn(one) && one.parent_id === campaign.id);
  const ads = all.filter((one) => isOwn(one) && one.kind === "ad" && sets.some(({ id }) => id === one.parent_id));
  const holder = [campaign, ...sets].find(({ budget_minor }) => budget_minor !== null);
  const post = platform?.posts().find(({ id }) => id === campaign.post_id);
  const status = ads[0]?.effective_status ?? campaign.effective_status;
  const end = sets[0]?.end_at ?? null;
  return (
    <article class="card" id={`${campaign.platform}-${campaign.id}`}>
      <div class="who">
        <span class={`mark ${campaign.platform}`} aria-hidden="true">
          {campaign.name.slice(0, 1).toUpperCase()}
        </span>
        <div class="names">
          <h2>{campaign.name}</h2>
          <p>
            {platform?.title ?? campaign.platform} · {campaign.account_id} ·{" "}
            <time datetime={campaign.created_at}>{readable(campaign.created_at)}</time>
          </p>
        </div>
      </div>
      <p class="state">
        <span class={`status ${toneOf(status)}`}>{status.replaceAll("_", " ").toLowerCase()}</span>
        {end === null ? null : <span class="until">until {readable(end)}</span>}
      </p>
      <dl>
        <Figure name="Spent" value={money(campaign.spend_minor, campaign.currency)} />
        <Figure name={budgetName(holder)} value={money(holder?.budget_minor ?? null, campaign.currency)} />
        <Figure name="Reach" value={campaign.reach.toLocaleString("en-US")} />
        <Figure name="Impressions" value={campaign.impressions.toLocaleString("en-US")} />
      </dl>
      {post ? (
        <blockquote>
          <a href={`/posts/${campaign.platform}/${encodeURIComponent(post.id)}`}>The post</a>
          <p>{post.text.length > 160 ? `${post.text.slice(0, 160)}…` : post.text || "without words"}</p>
        </blockquote>
      ) : campaign.post_id === null ? null : (
        <p class="gone">The promoted post was deleted.</p>
      )}
      <ul class="parts">
        {[campaign, ...sets, ...ads].map((part) => (
          <li id={part.id}>
            {part.kind} <code>{part.id}</code> {part.status.toLowerCase()}
          </li>
        ))}
      </ul>
    </article>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

const budgetName = (holder: LiveAd | undefined) => (holder?.budget_kind === "daily" ? "Budget a day" : "Budget");

/** e.g. `€12.34`, `¥5,000`. */
function money(minor: number | null, currency: string | null): string {
  if (minor === null || currency === null) return "–";
  const format = new Intl.NumberFormat("en-US", { style: "currency", currency });
  return format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

function toneOf(status: string): "on" | "waits" | "bad" | "off" {
  if (/DISAPPROVED|ISSUES|BILLING|DENY|REJECT/i.test(status)) return "bad";
  if (/REVIEW|PROCESS|AUDIT/i.test(status)) return "waits";
  return /^ACTIVE|DELIVERY_OK|ENABLE/i.test(status) ? "on" : "off";
}

const STYLE = `
.state{display:flex;flex-wrap:wrap;align-items:center;gap:8px 12px;margin-bottom:12px;font-size:14px}
.status{padding:3px 12px;border-radius:99px;font-weight:600;background:var(--fill);color:var(--ink)}
.status.on{background:var(--good);color:var(--good-ink)}
.status.waits{background:var(--badge);color:var(--badge-ink)}
.status.bad{background:var(--bad);color:var(--bad-ink)}
.until{color:var(--soft)}
dl{display:grid;grid-template-columns:1fr 1fr;gap:12px;margin:0 0 12px;padding:12px 14px;background:var(--fill);border-radius:14px}
dl div{min-width:0}
dt{color:var(--soft);font-size:13px}
dd{margin:0;font-size:18px;font-weight:600;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
blockquote{margin:0 0 12px;padding:0 0 0 12px;border-left:3px solid var(--line);color:var(--soft);font-size:15px}
blockquote a{font-size:13px;color:var(--soft)}
blockquote p{white-space:pre-wrap;overflow-wrap:anywhere}
.gone{color:var(--bad-ink);font-size:14px;margin-bottom:12px}
.parts{color:var(--soft);font-size:13px;display:flex;flex-direction:column;gap:2px}
.parts code{overflow-wrap:anywhere}
@media (min-width:640px){dl{grid-template-columns:repeat(4,1fr)}}
`;
