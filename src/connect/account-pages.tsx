import type { ContentfulStatusCode } from "hono/utils/http-status";
import { platformTitle } from "../platforms/facts.ts";
import type { GrantedAccount } from "../platforms/login.ts";
import { PLATFORM_NAMES, type PlatformName } from "../platforms/names.ts";
import { findPlatform } from "../platforms/registry.ts";
import { ChooseAccounts } from "./account-views.tsx";
import { connectAccounts, isUsable, MAX_CONNECTED_AT_ONCE, readChoices } from "./accounts.ts";
import type { BrowserSession } from "./browser-session.ts";
import type { FormFields } from "./forms.ts";
import { continueConnect, isOptional, noSuchPage } from "./next-pages.tsx";
import { type PageContext, pictureOrigin, showNotice, showPage } from "./page-answer.tsx";
import { wordingOf } from "./wording.tsx";

/** Choosing among the accounts of a login. */

export async function showAccounts(c: PageContext, current: BrowserSession): Promise<Response> {
  const platform = platformOf(c);
  if (!platform) return noSuchPage(c);
  if (current.progress?.status === "success") return c.redirect(current.form.action, 303);
  const choices = await readChoices(c.var.deps, current.session, platform, current.browser.hash);
  if (choices.kind !== "open") return showNoChoices(c, current, platform, choices.kind);
  return showChoices(
    c,
    current,
    { platform, accounts: choices.accounts },
    { status: 200, ticked: null, problem: null },
  );
}

function showChoices(
  c: PageContext,
  { session, progress, form }: BrowserSession,
  { platform, accounts }: { readonly platform: PlatformName; readonly accounts: readonly GrantedAccount[] },
  /** `ticked` null: not chosen yet, so all are proposed. */
  {
    status,
    ticked,
    problem,
  }: { status: ContentfulStatusCode; ticked: readonly string[] | null; problem: string | null },
): Promise<Response> {
  const wording = wordingOf(c);
  const usable = accounts.filter(isUsable);
  const isProposed = usable.length <= MAX_CONNECTED_AT_ONCE;
  const view = (
    <ChooseAccounts
      form={form}
      wording={wording}
      platform={platform}
      accounts={accounts}
      isTicked={(account) => isUsable(account) && (ticked?.includes(account.id) ?? isProposed)}
      isShownPicture={(url) => url.startsWith("https://") || url.startsWith(`${pictureOrigin(c, session)}/`)}
      problem={problem}
      next={progress?.remaining.find((name) => name !== platform) ?? null}
      isOptional={isOptional(progress, platform)}
    />
  );
  return showPage(c, status, {
    title: wording.texts.accounts.pageTitle({ platform: platformTitle(platform) }),
    session,
    form,
    children: view,
  });
}

export async function connectTicked(c: PageContext, current: BrowserSession, fields: FormFields): Promise<Response> {
  const platform = platformOf(c);
  if (!platform) return noSuchPage(c);
  const choices = await readChoices(c.var.deps, current.session, platform, current.browser.hash);
  if (choices.kind !== "open") {
    // Sent twice: the first request has connected them.
    const isDone =
      choices.kind === "absent" && current.progress !== null && !current.progress.remaining.includes(platform);
    return isDone ? continueConnect(c, current) : showNoChoices(c, current, platform, choices.kind);
  }
  const sent = new Set(fields.account);
  const ids = choices.accounts.map((account) => account.id).filter((id) => sent.has(id));
  const ticked = choices.accounts.filter(isUsable).filter((account) => ids.includes(account.id));
  const again = (problem: string) =>
    showChoices(c, current, { platform, accounts: choices.accounts }, { status: 422, ticked: ids, problem });
  const { chooseOne, tooMany } = wordingOf(c).texts.accounts;
  if (ticked.length === 0) return again(chooseOne);
  if (ticked.length > MAX_CONNECTED_AT_ONCE) return again(tooMany({ most: MAX_CONNECTED_AT_ONCE }));
  const progress = await connectAccounts(c.var.deps, current.session, {
    platform,
    accounts: ticked,
    fromChoices: true,
  });
  return continueConnect(c, { ...current, progress });
}

function showNoChoices(
  c: PageContext,
  { session, form }: BrowserSession,
  platform: PlatformName,
  kind: "foreign" | "absent",
): Promise<Response> {
  const { accounts: texts } = wordingOf(c).texts;
  const links = [{ href: form.action, text: texts.choosePlatforms }];
  const platformName = platformTitle(platform);
  return kind === "foreign"
    ? showNotice(
        c,
        403,
        { title: texts.foreignTitle, lead: texts.foreignLead({ platform: platformName }), links },
        session,
      )
    : showNotice(
        c,
        404,
        { title: texts.absentTitle, lead: texts.absentLead({ platform: platformName }), links },
        session,
      );
}

/** The platform of the path, if it has an adapter. */
function platformOf(c: PageContext): PlatformName | null {
  const text = c.req.param("platform") ?? "";
  const name = PLATFORM_NAMES.find((known) => known === text);
  return name && findPlatform(name) ? name : null;
}
