import { ACCESS } from "./access/access-pages.tsx";
import { ACCOUNT } from "./account/account-pages.tsx";
import { APPROVAL } from "./approval/approval-pages.tsx";
import { AUDIT } from "./audit/audit-page.tsx";
import { BOTS } from "./bots/bots-pages.tsx";
import { BRANDING } from "./branding/branding-pages.tsx";
import { CALENDAR } from "./calendar/calendar-pages.tsx";
import { CAMPAIGNS } from "./campaigns/campaigns-pages.tsx";
import { CHANNELS } from "./channels/channels-pages.tsx";
import { COMMENTS } from "./comments/comments-pages.tsx";
import { COMPOSE } from "./compose/compose-pages.tsx";
import { EDIT } from "./compose/edit-pages.tsx";
import { TIKTOK } from "./compose/tiktok-pages.tsx";
import { DATA } from "./data/data-pages.tsx";
import type { Entry, PageEntry } from "./definition.ts";
import { FEEDS } from "./feeds/feed-pages.tsx";
import { GENERATIONS } from "./generations/generations-pages.tsx";
import { HOME } from "./home/home-page.tsx";
import { IMPORTS } from "./imports/import-pages.tsx";
import { INSIGHTS } from "./insights/insights-pages.tsx";
import { LIBRARY } from "./library/library-pages.tsx";
import { MEMBERS } from "./members/members-pages.tsx";
import { MESSAGES } from "./messages/messages-pages.tsx";
import { OPERATOR } from "./operator/operator-pages.tsx";
import { POSTS } from "./posts/post-page.tsx";
import { PROJECTS, SETTINGS } from "./projects/projects-pages.tsx";
import { SERIES_ROOM } from "./series/series-pages.tsx";
import { INVITATIONS } from "./sign-in/invitation-pages.tsx";
import { SIGN_IN } from "./sign-in/sign-in-pages.tsx";
import { SPENDING } from "./spending/spending-pages.tsx";
import { TOKENS } from "./tokens/tokens-pages.tsx";
import { USAGE } from "./usage/usage-pages.tsx";
import { WEBHOOKS } from "./webhooks/webhooks-pages.tsx";

/** Every page and action of the console, in the order of the menu. */
export const CONSOLE: readonly Entry[] = [
  ...SIGN_IN,
  ...INVITATIONS,
  ...ACCESS,
  ...ACCOUNT,
  ...PROJECTS,
  ...OPERATOR,
  ...HOME,
  ...COMPOSE,
  ...TIKTOK,
  ...CALENDAR,
  ...APPROVAL,
  ...POSTS,
  ...EDIT,
  ...IMPORTS,
  ...SERIES_ROOM,
  ...FEEDS,
  ...LIBRARY,
  ...INSIGHTS,
  ...CHANNELS,
  ...COMMENTS,
  ...BOTS,
  ...MESSAGES,
  ...CAMPAIGNS,
  ...GENERATIONS,
  ...WEBHOOKS,
  ...USAGE,
  ...SPENDING,
  ...TOKENS,
  ...MEMBERS,
  ...BRANDING,
  ...AUDIT,
  ...SETTINGS,
  ...DATA,
];

export const MENU: readonly PageEntry[] = CONSOLE.filter((entry) => entry.kind === "page").filter(({ menu }) => menu);

/** The page at this path of the list. */
export function pageAt(path: string): PageEntry {
  const page = CONSOLE.find((entry) => entry.kind === "page" && entry.path === path);
  if (page?.kind !== "page") throw new Error(`The console has no page ${path}.`);
  return page;
}
