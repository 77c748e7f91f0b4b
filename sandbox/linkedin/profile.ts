// The member, and the organizations in which they have a role.

import { Hono } from "hono";
import { z } from "zod";
import type { Sandbox } from "../sandbox";
import { endpoint, type LinkedinContext, type LinkedinEnv } from "./api";
import { badInput, denied, notFound } from "./errors";
import { Paging, pageOf, readKey, readQuery } from "./input";
import {
  findOrganization,
  findPerson,
  type OrganizationRow,
  organizationKey,
  type RoleRow,
  rolesOn,
  subOf,
  urnOf,
} from "./store";

const Acls = Paging.extend({
  q: z.literal("roleAssignee"),
  role: z.string().optional(),
  state: z.string().optional(),
});
const ByVanity = z.object({ q: z.literal("vanityName"), vanityName: z.string().min(1) });

export function profileRoutes(sandbox: Sandbox) {
  const app = new Hono<LinkedinEnv>();
  const open = (resource: string, scopes: readonly string[]) =>
    endpoint(sandbox, { operation: null, resource, scopes });

  app.get("/v2/userinfo", ...open("userinfo.GET", ["openid"]), (c) => {
    const { clientId, personId, scopes } = c.var.caller;
    if (!scopes.includes("profile")) throw denied("userinfo.GET");
    const person = findPerson(sandbox, personId);
    const email = `${person?.given_name.toLowerCase()}@acme.example`;
    return c.json({
      sub: subOf(clientId, personId),
      name: `${person?.given_name} ${person?.family_name}`,
      given_name: person?.given_name,
      family_name: person?.family_name,
      picture: `${c.env.origin}/_media/square.jpg`,
      locale: { country: "US", language: "en" },
      ...(scopes.includes("email") ? { email, email_verified: true } : {}),
    });
  });

  app.get("/v2/me", ...open("me.GET", ["r_basicprofile"]), (c) => {
    const { clientId, personId } = c.var.caller;
    const person = findPerson(sandbox, personId);
    return c.json({
      id: subOf(clientId, personId),
      vanityName: `${person?.given_name}-${person?.family_name}`.toLowerCase(),
      localizedFirstName: person?.given_name,
      localizedLastName: person?.family_name,
    });
  });

  const admin = ["rw_organization_admin", "r_organization_admin"];
  app.get("/rest/organizationAcls", ...open("organizationAcls.FINDER-roleAssignee", admin), (c) => {
    const { role, state, ...paging } = readQuery(sandbox, c, Acls);
    const { clientId, personId } = c.var.caller;
    const rows = sandbox.db
      .all<RoleRow>("SELECT * FROM linkedin_roles WHERE person_id = ? ORDER BY organization_id", personId)
      .filter((row) => (role === undefined || row.role === role) && (state === undefined || row.state === state));
    const names = sandbox.settings.all.linkedin_acl_names;
    const view = (row: RoleRow) => {
      const urn = urnOf(clientId, organizationKey(row.organization_id));
      return {
        role: row.role,
        state: row.state,
        roleAssignee: urnOf(clientId, `person:${personId}`),
        ...(names === "organizationTarget" ? {} : { organization: urn }),
        ...(names === "organization" ? {} : { organizationTarget: urn }),
      };
    };
    const page = pageOf(rows, paging);
    return c.json({ ...page, elements: page.elements.map(view) });
  });

  const readers = [...admin, "r_organization_social"];
  app.get("/rest/organizations/:id", ...open("organizations.GET", readers), (c) => {
    readQuery(sandbox, c, z.object({}));
    const found = findOrganization(sandbox, readKey(c, "id"));
    if (!found) throw notFound("organization");
    return c.json(organizationView(sandbox, c, found));
  });
  // Old clients omit the version.
  for (const path of ["/rest/organizations", "/v2/organizations"]) {
    app.get(path, ...open("organizations.FINDER-vanityName", [...readers, "r_basicprofile"]), (c) => {
      const { vanityName } = readQuery(sandbox, c, ByVanity);
      if (!/^[\w-]+$/.test(vanityName)) throw badInput("PARAM_INVALID", "/vanityName", "Not a vanity name");
      const found = sandbox.db.first<OrganizationRow>(
        "SELECT * FROM linkedin_organizations WHERE vanity = ?",
        vanityName,
      );
      const elements = found ? [organizationView(sandbox, c, found)] : [];
      return c.json(pageOf(elements, { start: 0, count: 10 }));
    });
  }
  return app;
}

/** Administrators see more fields than others. */
function organizationView(sandbox: Sandbox, c: LinkedinContext, { id, name, vanity }: OrganizationRow) {
  const few = {
    id: Number(id),
    localizedName: name,
    vanityName: vanity,
    name: { localized: { en_US: name }, preferredLocale: { country: "US", language: "en" } },
    logoV2: { original: `urn:li:digitalmediaAsset:LOGO${id}`, cropped: `urn:li:digitalmediaAsset:LOGO${id}` },
    primaryOrganizationType: "NONE",
  };
  const isAdmin = rolesOn(sandbox, c.var.caller.personId, id).includes("ADMINISTRATOR");
  return isAdmin ? { ...few, localizedWebsite: "https://acme.example", organizationType: "PRIVATELY_HELD" } : few;
}
