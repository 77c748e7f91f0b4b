// What this app provides to the Marketing API: user tokens and the Pages of a login. Only Facebook Login
// gives access to it.

import type { AdsApp } from "../meta/ads/access";
import { strings } from "../meta/logins";
import type { Sandbox } from "../sandbox";
import { pagesOf } from "./pages";
import { authenticate, misbehaviour } from "./tokens";

export const instagramAds = (sandbox: Sandbox): AdsApp => ({
  platform: "instagram",
  misbehaviour: misbehaviour(sandbox),
  isShort: () => sandbox.settings.all.instagram_short_pages,
  async person(c) {
    const token = await authenticate(sandbox, c, ["short", "long"]);
    const pages = pagesOf(sandbox, token).map(({ id, username, page_id, page_name, tasks }) => ({
      id: page_id,
      name: page_name,
      tasks: strings(tasks),
      instagram: id === "" ? null : { id, username },
    }));
    return { token, pages };
  },
});
