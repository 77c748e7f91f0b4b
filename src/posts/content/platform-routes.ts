import { z } from "@hono/zod-openapi";
import type { Api } from "../../http/api.ts";
import { operation } from "../../http/operation.ts";
import { platforms } from "../../platforms/registry.ts";
import { listPlatforms, PlatformRulesView, toPlatformView } from "./platform-view.ts";

/** The rules of the platforms as data (extension). */
export function platformRoutes(app: Api): void {
  app.openapi(
    operation({
      id: "listPlatforms",
      method: "get",
      path: "/social/platforms",
      tag: "Posts",
      permission: "any",
      extension: true,
      keepable: true,
      summary: "What each platform can do and takes",
      description:
        "The rules that create-post and validate-post hold posts against, by platform and post type: texts, titles, files, alt texts, first comments, threads; and what becomes of permalinks and deletions. Where the rules depend on the account, those of others are under `for_accounts`. Changes with releases only.",
      answer: z.object({ platforms: z.array(PlatformRulesView), status: z.literal(true) }),
      answerDescription: "Every platform of this service.",
      example: {
        platforms: Object.values(platforms)
          .slice(0, 1)
          .map((one) => toPlatformView(one, true)),
        status: true,
      },
    }),
    (c) => {
      const { deps, caller } = c.var;
      return c.json({ platforms: listPlatforms(deps, caller), status: true } as const, 200);
    },
  );
}
