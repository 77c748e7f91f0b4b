import type { Brand } from "../branding/store.ts";
import { plural } from "../core/text.ts";
import { MINUTE } from "../core/time.ts";
import { Heading, Proof } from "../pages/layout.tsx";
import { PlatformBadge } from "../pages/platform-badge.tsx";
import { PLATFORM_FACTS, platformTitle } from "../platforms/facts.ts";
import type { PlatformName } from "../platforms/names.ts";
import type { Offered, OfferedAdditionalLogin } from "./begin.ts";
import { Connected, type FormTarget, ReturnLink } from "./layout.tsx";
import type { LoginName } from "./logins.ts";
import type { ConnectedChannel } from "./table.ts";

/** The first of the hosted pages: which platforms to connect. */

interface ChoosePlatforms {
  readonly form: FormTarget;
  readonly brand: Brand;
  readonly platforms: readonly Offered[];
  readonly ticked: readonly LoginName[];
  readonly connected: readonly ConnectedChannel[];
  /** A login whose accounts are not chosen yet. */
  readonly waiting: PlatformName | null;
  readonly problem: string | null;
  readonly expiresAt: number;
  readonly returnLink: string | null;
}

export function ChoosePlatforms(view: ChoosePlatforms) {
  const { form, connected, waiting } = view;
  const isAnyAvailable = view.platforms.some((platform) => platform.isAvailable);
  return (
    <>
      <Heading
        title="Connect your accounts"
        lead={
          <>
            <b>{view.brand.name}</b> wants to publish for you. Choose the platforms. You sign in on each platform's own
            pages and decide what to allow.
          </>
        }
      />
      {view.problem !== null && (
        <p class="note bad" role="alert">
          {view.problem}
        </p>
      )}
      {waiting !== null && (
        <p class="note">
          You are signed in to {platformTitle(waiting)}.{" "}
          <a href={`${form.action}/accounts/${waiting}`}>Choose the accounts to connect</a>
        </p>
      )}
      {connected.length > 0 && <Connected channels={connected} />}
      <form method="post" action={form.action}>
        <Proof proof={form.proof} />
        <fieldset>
          <legend>Platforms</legend>
          <div class="rows">
            {view.platforms.map((platform) => (
              <>
                <PlatformRow {...platform} isTicked={view.ticked.includes(platform.name)} />
                {platform.further.map((further) => (
                  <FurtherRow {...further} isTicked={view.ticked.includes(further.name)} />
                ))}
              </>
            ))}
          </div>
        </fieldset>
        {isAnyAvailable ? (
          <button class="button first" type="submit">
            Continue
          </button>
        ) : (
          <p class="note bad">No platform is set up yet. The operator of this service must set one up first.</p>
        )}
      </form>
      {connected.length > 0 ? (
        <form method="post" action={`${form.action}/finish`}>
          <Proof proof={form.proof} />
          <button class="button" type="submit">
            Finish with what is connected
          </button>
        </form>
      ) : (
        <ReturnLink href={view.returnLink} brand={view.brand} text="Cancel and go back to the app" />
      )}
      <p class="small">This page is valid for another {minutesUntil(view.expiresAt)}.</p>
    </>
  );
}

function PlatformRow(row: Offered & { readonly isTicked: boolean }) {
  const { title, offers } = PLATFORM_FACTS[row.name];
  return (
    <label class={row.isAvailable ? "row" : "row off"}>
      <PlatformBadge platform={row.name} />
      <span class="what">
        <span class="name">{title}</span>
        <span class="about">{row.isAvailable ? offers : "Not set up by this service"}</span>
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
function FurtherRow({ name, offer, needs, isTicked }: OfferedAdditionalLogin & { readonly isTicked: boolean }) {
  return (
    <label class="row further">
      <span class="what">
        <span class="name">{offer}</span>
        <span class="about">{needs}</span>
      </span>
      <input type="checkbox" name="platform" value={name} checked={isTicked} />
    </label>
  );
}

function minutesUntil(at: number): string {
  return plural(Math.max(1, Math.round((at - Date.now()) / MINUTE)), "minute");
}
