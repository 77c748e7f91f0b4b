import type { Child } from "hono/jsx";
import type { Brand } from "../branding/store.ts";
import { MINUTE } from "../core/time.ts";
import { Heading, Proof } from "../pages/layout.tsx";
import { PlatformBadge } from "../pages/platform-badge.tsx";
import { PLATFORM_FACTS, platformTitle } from "../platforms/facts.ts";
import type { PlatformName } from "../platforms/names.ts";
import type { Offered, OfferedAdditionalLogin } from "./begin.ts";
import { Connected, type FormTarget, ReturnLink } from "./layout.tsx";
import type { LoginName } from "./logins.ts";
import type { ConnectedChannel } from "./table.ts";
import { type ConnectTexts, phraseIn, type Wording } from "./wording.tsx";

/** The first of the hosted pages: which platforms to connect. */

interface ChoosePlatforms {
  readonly form: FormTarget;
  readonly brand: Brand;
  readonly platforms: readonly Offered[];
  readonly ticked: readonly LoginName[];
  readonly connected: readonly ConnectedChannel[];
  /** A login whose accounts are not chosen yet. */
  readonly waiting: PlatformName | null;
  readonly problem: Child | null;
  readonly wording: Wording;
  readonly expiresAt: number;
  readonly returnLink: string | null;
}

export function ChoosePlatforms(view: ChoosePlatforms) {
  const { form, connected, waiting, wording } = view;
  const { texts } = wording;
  const { platforms } = texts;
  const isAnyAvailable = view.platforms.some((platform) => platform.isAvailable);
  return (
    <>
      <Heading title={platforms.title} lead={<Emphasized text={platforms.lead} name={view.brand.name} />} />
      {view.problem !== null && (
        <p class="note bad" role="alert">
          {view.problem}
        </p>
      )}
      {waiting !== null && (
        <p class="note">
          {platforms.waiting({ platform: platformTitle(waiting) })}{" "}
          <a href={`${form.action}/accounts/${waiting}`}>{platforms.waitingLink}</a>
        </p>
      )}
      {connected.length > 0 && <Connected channels={connected} wording={wording} />}
      <form method="post" action={form.action}>
        <Proof proof={form.proof} />
        <fieldset>
          <legend>{platforms.legend}</legend>
          <div class="rows">
            {view.platforms.map((platform) => (
              <>
                <PlatformRow {...platform} texts={texts} isTicked={view.ticked.includes(platform.name)} />
                {platform.further.map((further) => (
                  <FurtherRow {...further} texts={texts} isTicked={view.ticked.includes(further.name)} />
                ))}
              </>
            ))}
          </div>
        </fieldset>
        {isAnyAvailable ? (
          <button class="button first" type="submit">
            {platforms.submit}
          </button>
        ) : (
          <p class="note bad">{platforms.noneSetUp}</p>
        )}
      </form>
      {connected.length > 0 ? (
        <form method="post" action={`${form.action}/finish`}>
          <Proof proof={form.proof} />
          <button class="button" type="submit">
            {platforms.finish}
          </button>
        </form>
      ) : (
        <ReturnLink href={view.returnLink} brand={view.brand} wording={wording} text={platforms.cancel} />
      )}
      <p class="small">{platforms.valid({ minutes: minutesUntil(view.expiresAt) })}</p>
    </>
  );
}

/** The name of the project, which the sentence contains, in bold. */
function Emphasized({ text, name }: { readonly text: ConnectTexts["platforms"]["lead"]; readonly name: string }) {
  const [before, after] = text({ name: "\0" }).split("\0");
  return (
    <>
      {before}
      <b>{name}</b>
      {after}
    </>
  );
}

interface Row {
  readonly texts: ConnectTexts;
  readonly isTicked: boolean;
}

function PlatformRow({ texts, ...row }: Offered & Row) {
  const { title, offers } = PLATFORM_FACTS[row.name];
  return (
    <label class={row.isAvailable ? "row" : "row off"}>
      <PlatformBadge platform={row.name} />
      <span class="what">
        <span class="name">{title}</span>
        <span class="about">{row.isAvailable ? (phraseIn(texts, offers) ?? offers) : texts.platforms.notSetUp}</span>
      </span>
      <input
        type="checkbox"
        name="platform"
        value={row.name}
        checked={row.isAvailable && row.isTicked}
        disabled={!row.isAvailable}
      />
    </label>
  );
}

/** Shown below its platform, which it needs. */
function FurtherRow({ name, offer, needs, texts, isTicked }: OfferedAdditionalLogin & Row) {
  return (
    <label class="row further">
      <span class="what">
        <span class="name">{phraseIn(texts, offer) ?? offer}</span>
        <span class="about">{phraseIn(texts, needs) ?? needs}</span>
      </span>
      <input type="checkbox" name="platform" value={name} checked={isTicked} />
    </label>
  );
}

const minutesUntil = (at: number): number => Math.max(1, Math.round((at - Date.now()) / MINUTE));
