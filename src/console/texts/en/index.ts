import { access } from "./access.ts";
import { approval } from "./approval.ts";
import { audit } from "./audit.ts";
import { bots } from "./bots.ts";
import { branding } from "./branding.ts";
import { calendar } from "./calendar.ts";
import { campaigns } from "./campaigns.ts";
import { channels } from "./channels.ts";
import { comments } from "./comments.ts";
import { compose } from "./compose.ts";
import { data } from "./data.ts";
import { digest } from "./digest.ts";
import { feeds } from "./feeds.ts";
import { frame } from "./frame.ts";
import { generations } from "./generations.ts";
import { home } from "./home.ts";
import { imports } from "./imports.ts";
import { insights } from "./insights.ts";
import { library } from "./library.ts";
import { messages } from "./messages.ts";
import { operator } from "./operator.ts";
import { posts } from "./posts.ts";
import { series } from "./series.ts";
import { signIn } from "./sign-in.ts";
import { spending } from "./spending.ts";
import { tiktok } from "./tiktok.ts";
import { usage } from "./usage.ts";
import { webhooks } from "./webhooks.ts";

/** Every text of the console in English, a file for each room. Other languages have the same shape. */
export const en = {
  ...frame,
  ...signIn,
  access,
  approval,
  audit,
  bots,
  branding,
  calendar,
  campaigns,
  channels,
  comments,
  compose,
  data,
  digest,
  generations,
  home,
  imports,
  insights,
  library,
  messages,
  operator,
  posts,
  feeds,
  series,
  spending,
  tiktok,
  usage,
  webhooks,
};
