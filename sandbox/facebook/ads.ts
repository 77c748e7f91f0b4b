// What this app provides to the Marketing API: user tokens and the Pages of a login.

import { z } from "zod";
import type { AdsApp } from "../meta/ads/access";
import type { Sandbox } from "../sandbox";
import { grantedPages, tasksOf } from "./pages";
import { authenticate, misbehaviour } from "./tokens";

const Linked = z.object({ id: z.string(), username: z.string() }).nullable();

export const facebookAds = (sandbox: Sandbox): AdsApp => ({
  platform: "facebook",
  misbehaviour: misbehaviour(sandbox),
  isShort: () => sandbox.settings.all.facebook_short_pages,
  async person(c) {
    const token = await authenticate(sandbox, c, ["short", "long"]);
    const pages = grantedPages(sandbox, token).map((page) => ({
      id: page.id,
      name: page.name,
      tasks: tasksOf(page),
      instagram: Linked.parse(JSON.parse(page.instagram ?? "null")),
    }));
    return { token, pages };
  },
});
