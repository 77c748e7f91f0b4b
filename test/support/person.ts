import { type Browser, formsOf, type Page } from "./browser.ts";

/** What a person does who connects accounts. In workerd and in Node. */

/** Accounts that every sandbox has. */
export const PAGES = { fern: "104000000000001", harbour: "104000000000002", bikes: "104000000000003" } as const;
export const HANDLES = { bikes: "2244990001", fern: "2244990002", harbour: "2244990003" } as const;
export const YOUTUBE_CHANNELS = {
  bakery: "UCsandboxBakery000000001",
  fern: "UCsandboxFern00000000002",
  bikes: "UCsandboxBikes0000000003",
} as const;

export interface Choice {
  /** With further logins by their names, `platform:purpose`. */
  readonly platforms: readonly string[];
  /** Ticked wherever accounts are offered; without any, what each page proposes. */
  readonly accounts?: readonly string[] | undefined;
}

const MAX_PAGES = 50;

/**
 * Goes from the connect link to the end: selects the platforms, allows what each of them requests, selects
 * the accounts. Returns the last page, or the one where something went wrong.
 */
export async function connectThrough(browser: Browser, connectUrl: string, choice: Choice): Promise<Page> {
  let page = await browser.go(connectUrl);
  for (let turn = 0; turn < MAX_PAGES; turn++) {
    const form = formsOf(page).find(({ method }) => method === "POST");
    if (page.status !== 200 || !form || new URL(page.url).pathname.startsWith("/console")) break;
    const allow = form.buttons.find(({ name, value }) => name === "decision" && value === "allow");
    page = await browser.send(form, ({ name, value }) => isTicked(name, value, choice), allow);
  }
  return page;
}

/** Ours calls them accounts, and so does X; facebook has pages. */
export const isAccountField = (name: string): boolean => name === "page" || name === "account";

function isTicked(name: string, value: string, { platforms, accounts }: Choice): boolean | undefined {
  if (name === "platform") return platforms.includes(value);
  return isAccountField(name) && accounts ? accounts.includes(value) : undefined;
}
