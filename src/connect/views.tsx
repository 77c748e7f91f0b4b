import { plural } from "../core/text.ts";
import { MINUTE } from "../core/time.ts";
import type { GrantedAccount } from "../platforms/login.ts";
import type { PlatformName } from "../platforms/names.ts";
import { isUsable } from "./accounts.ts";
import { Badge, Connected, type FormTarget, Heading, Proof, ReturnLink } from "./layout.tsx";
import { PLATFORM_TITLES, platformTitle } from "./platform-titles.ts";
import type { ConnectedChannel } from "./table.ts";

/** The hosted pages, one component each. They need no script. */

// --- choosing platforms -----------------------------------------------------------------------------------------

interface ChoosePlatforms {
  readonly form: FormTarget;
  readonly project: string;
  readonly platforms: readonly { readonly name: PlatformName; readonly isAvailable: boolean }[];
  readonly ticked: readonly PlatformName[];
  readonly connected: readonly ConnectedChannel[];
  /** A login that waits for accounts to be ticked. */
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
            <b>{view.project}</b> would like to publish for you. Choose where. You sign in with each platform on its own
            pages and decide there what is allowed.
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
          <a href={`${form.action}/accounts/${waiting}`}>Choose what to connect there</a>
        </p>
      )}
      {connected.length > 0 && <Connected channels={connected} />}
      <form method="post" action={form.action}>
        <Proof form={form} />
        <fieldset>
          <legend>Platforms</legend>
          <div class="rows">
            {view.platforms.map((platform) => (
              <PlatformRow {...platform} isTicked={view.ticked.includes(platform.name)} />
            ))}
          </div>
        </fieldset>
        {isAnyAvailable ? (
          <button class="button first" type="submit">
            Continue
          </button>
        ) : (
          <p class="note bad">No platform is set up here yet. The operator of this service must do that first.</p>
        )}
      </form>
      {connected.length > 0 ? (
        <form method="post" action={`${form.action}/finish`}>
          <Proof form={form} />
          <button class="button" type="submit">
            Finish with what is connected
          </button>
        </form>
      ) : (
        <ReturnLink href={view.returnLink} text="Cancel and go back to the app" />
      )}
      <p class="small">This page works for another {minutesUntil(view.expiresAt)}.</p>
    </>
  );
}

function PlatformRow(row: { readonly name: PlatformName; readonly isAvailable: boolean; readonly isTicked: boolean }) {
  const { name, offers } = PLATFORM_TITLES[row.name];
  return (
    <label class={row.isAvailable ? "row" : "row off"}>
      <Badge platform={row.name} />
      <span class="what">
        <span class="name">{name}</span>
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

function minutesUntil(at: number): string {
  return plural(Math.max(1, Math.round((at - Date.now()) / MINUTE)), "minute");
}

// --- choosing accounts ------------------------------------------------------------------------------------------

interface ChooseAccounts {
  readonly form: FormTarget;
  readonly platform: PlatformName;
  readonly accounts: readonly GrantedAccount[];
  readonly isTicked: (account: GrantedAccount) => boolean;
  readonly isShownPicture: (url: string) => boolean;
  readonly problem: string | null;
  /** What comes after this platform. */
  readonly next: PlatformName | null;
  readonly canGoOnWithout: boolean;
}

export function ChooseAccounts(view: ChooseAccounts) {
  const { form, platform } = view;
  const title = platformTitle(platform);
  return (
    <>
      <Heading
        title={`What to connect from ${title}`}
        lead={
          view.next === null
            ? "Tick every account that may be published to."
            : `Tick every account that may be published to. ${platformTitle(view.next)} comes next.`
        }
      />
      {view.problem !== null && (
        <p class="note bad" role="alert">
          {view.problem}
        </p>
      )}
      <form method="post" action={`${form.action}/accounts/${platform}`}>
        <Proof form={form} />
        <fieldset>
          <legend>{plural(view.accounts.length, "account")}</legend>
          <div class="rows">
            {view.accounts.map((account) => (
              <AccountRow account={account} view={view} />
            ))}
          </div>
        </fieldset>
        <button class="button first" type="submit">
          Connect
        </button>
      </form>
      {view.canGoOnWithout ? <GoOnWithout form={form} platform={platform} /> : null}
      <a class="plain" href={form.action}>
        Choose other platforms
      </a>
    </>
  );
}

function AccountRow({ account, view }: { readonly account: GrantedAccount; readonly view: ChooseAccounts }) {
  const { pictureUrl } = account;
  const canBeConnected = isUsable(account);
  const about = account.username === null ? null : `@${account.username}`;
  return (
    <label class={canBeConnected ? "row" : "row off"}>
      <span class="avatar round" aria-hidden="true">
        <span>{[...account.name.trim()][0]?.toUpperCase() ?? "?"}</span>
        {pictureUrl !== null && view.isShownPicture(pictureUrl) && (
          <img src={pictureUrl} alt="" width="40" height="40" loading="lazy" />
        )}
      </span>
      <span class="what">
        <span class="name">{account.name}</span>
        <span class="about">
          {canBeConnected ? about : (account.unusableReason ?? "This account cannot be published to.")}
        </span>
      </span>
      <input
        type="checkbox"
        name="account"
        value={account.id}
        checked={view.isTicked(account)}
        disabled={!canBeConnected}
      />
    </label>
  );
}

function GoOnWithout({ form, platform }: { readonly form: FormTarget; readonly platform: PlatformName }) {
  return (
    <form method="post" action={`${form.action}/next`}>
      <Proof form={form} />
      <input type="hidden" name="without" value={platform} />
      <button class="button" type="submit">
        Go on without {platformTitle(platform)}
      </button>
    </form>
  );
}

// --- what did not work ------------------------------------------------------------------------------------------

interface LoginFailed {
  readonly form: FormTarget;
  readonly platform: PlatformName;
  readonly message: string;
  readonly connected: readonly ConnectedChannel[];
  readonly canGoOnWithout: boolean;
  readonly returnLink: string | null;
}

export function LoginFailed(view: LoginFailed) {
  const { form, platform, connected } = view;
  return (
    <>
      <Heading mark="bad" title={`${platformTitle(platform)} is not connected`} lead={view.message} />
      {connected.length > 0 && <Connected channels={connected} />}
      <div class="actions">
        <form method="post" action={`${form.action}/next`}>
          <Proof form={form} />
          <input type="hidden" name="platform" value={platform} />
          <button class="button first" type="submit">
            Try again
          </button>
        </form>
        {view.canGoOnWithout && <GoOnWithout form={form} platform={platform} />}
        <a class="plain" href={form.action}>
          Choose other platforms
        </a>
        <ReturnLink href={view.returnLink} text="Back to the app" />
      </div>
    </>
  );
}

export interface Notice {
  readonly title: string;
  readonly lead: string;
  readonly mark?: "good" | "bad" | "calm";
  readonly links?: readonly { readonly href: string; readonly text: string }[];
}

/** A page that only says something and leads on. */
export function Notice({ title, lead, mark = "bad", links = [] }: Notice) {
  return (
    <>
      <Heading mark={mark} title={title} lead={lead} />
      {links.length > 0 && (
        <div class="actions">
          {links.map(({ href, text }, index) => (
            <a class={index === 0 ? "button first" : "button"} href={href} rel="noreferrer">
              {text}
            </a>
          ))}
        </div>
      )}
    </>
  );
}

// --- the end ----------------------------------------------------------------------------------------------------

export function Finished({
  channels,
  returnLink,
}: {
  readonly channels: readonly ConnectedChannel[];
  readonly returnLink: string | null;
}) {
  return (
    <>
      <Heading
        mark="good"
        title="Connected"
        lead={returnLink === null ? "All done. You can close this window." : "All done. You can go back to the app."}
      />
      <Connected channels={channels} />
      {returnLink !== null && (
        <a class="button first" href={returnLink} rel="noreferrer">
          Back to the app
        </a>
      )}
    </>
  );
}
