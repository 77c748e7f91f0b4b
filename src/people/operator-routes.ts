import type { OpenAPIHono } from "@hono/zod-openapi";
import { zValidator } from "@hono/zod-validator";
import { z } from "zod";
import { commandOf, recordDone } from "../audit/store.ts";
import { runBatch } from "../db/client.ts";
import { jsonObjectBody } from "../http/body.ts";
import type { AppEnv } from "../http/environment.ts";
import { apiOrigin } from "../http/origin.ts";
import { refuseUnlike } from "../http/validation.ts";
import { insertMember } from "./members.ts";
import { getMeantProject, projectReference } from "./project-reference.ts";
import { ROLES } from "./roles.ts";
import { createLink } from "./sign-in-link.ts";
import { ensurePerson } from "./sign-up.ts";

const Body = z.object({
  email: z.email().transform((address) => address.toLowerCase()),
  /** Makes the person a member; one who is already a member keeps the role. */
  ...projectReference,
  role: z.enum(ROLES).default("owner"),
});

/**
 * The API behind `npm run account`: an account in the console, and a link that signs in once. Requires the
 * operator's key (people/operator.ts), so no one else can create the first account.
 */
export function accountRoutes(app: OpenAPIHono<AppEnv>): void {
  app.post("/internal/sign-in-links", ...jsonObjectBody, zValidator("json", Body, refuseUnlike(Body)), async (c) => {
    c.set("operationId", "createSignInLink");
    const { email, role, ...reference } = c.req.valid("json");
    const { deps } = c.var;
    const { directory: db } = deps;
    const now = Date.now();
    const isNamed = reference.project !== undefined || reference.id !== undefined;
    const project = isNamed ? await getMeantProject(db, reference) : null;
    const personId = await ensurePerson(db, email, now);
    if (project) {
      const home = deps.in(project.database).db;
      const entry = recordDone(home, commandOf(project.id, "account", "createSignInLink"));
      const member = insertMember(db, { personId, projectId: project.id, role }, now);
      if (home === db) await runBatch(db, [member, entry]);
      else {
        await runBatch(home, [entry]);
        await runBatch(db, [member]);
      }
    }
    const secret = await createLink(db, { personId, projectId: project?.id ?? null }, now);
    return c.json({ status: true, url: `${apiOrigin(c)}/console/sign-in/link/${secret}` });
  });
}
