import { z } from "@hono/zod-openapi";
import { operation } from "../../http/operation.ts";
import { platforms } from "../../platforms/registry.ts";
import { listPlatforms, PlatformRulesView, toPlatformView } from "../content/platform-view.ts";

export const GetPlatforms = operation({
  id: "getPlatforms",
  method: "get",
  path: "/social/get-platforms",
  tag: "Posts",
  permission: "any",
  extension: true,
  keepable: true,
  summary: "Get the rules of each platform",
  description:
    "The rules that create-post and validate-post apply, by platform and post type: texts, titles, files, alt texts, first comments and threads. Also shows how permalinks and deletions work. Rules that depend on the account are under `for_accounts`. Changes only with releases.",
  answer: z.object({ platforms: z.array(PlatformRulesView), status: z.literal(true) }),
  answerDescription: "Every platform of this service.",
  example: {
    platforms: Object.values(platforms)
      .slice(0, 1)
      .map((one) => toPlatformView(one, true)),
    status: true,
  },
  run: async ({ deps, caller }) => {
    return { platforms: listPlatforms(deps, caller), status: true } as const;
  },
});
