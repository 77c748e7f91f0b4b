// www.linkedin.com: the consent page, where a member allows all scopes or none, and the posts behind
// permalinks.

import { Hono } from "hono";
import { type Brand, type ConsentRequest, consentRefused, consentRoutes, redirectBack, scopesIn } from "../consent";
import { postPage } from "../feed";
import { callbackOf } from "../oauth";
import type { Sandbox } from "../sandbox";
import type { LinkedinEnv } from "./api";
import { findApp, SCOPES, scopesOf } from "./apps";
import { grantLogin } from "./oauth";
import { findPerson, findPost, type PersonRow } from "./store";

const BRAND: Brand = {
  name: "LinkedIn",
  accent: "#0a66c2",
  background: "#f4f2ee",
  header: "background:#fff;color:#0a66c2;border-bottom:1px solid #e0dfdc",
};

interface Login extends ConsentRequest {
  readonly clientId: string;
}

export function websiteRoutes(sandbox: Sandbox) {
  const app = new Hono<LinkedinEnv>();
  app.route("/", consentPages(sandbox));
  app.get("/feed/update/:urn/", (c) => postPage(sandbox, "linkedin", findUrn(sandbox, c.req.param("urn"))));
  app.get("/feed/update/:urn", (c) => postPage(sandbox, "linkedin", findUrn(sandbox, c.req.param("urn"))));
  app.get("*", () => postPage(sandbox, "linkedin", null));
  return app;
}

const findUrn = (sandbox: Sandbox, urn: string): string | null =>
  findPost(sandbox, decodeURIComponent(urn))?.urn ?? null;
const refused = (detail: string) => consentRefused(BRAND, "Bummer, something went wrong.", detail);

function consentPages(sandbox: Sandbox) {
  const members = () => sandbox.db.all<PersonRow>("SELECT * FROM linkedin_people WHERE is_account = 1 ORDER BY id");
  const roles = ({ id }: PersonRow) => sandbox.db.all("SELECT 1 FROM linkedin_roles WHERE person_id = ?", id).length;
  const toChoice = (member: PersonRow) => ({
    value: member.id,
    label: `${member.given_name} ${member.family_name}`,
    about: roles(member) === 0 ? "No pages" : `Roles on ${roles(member)} pages`,
  });
  return consentRoutes<Login>(["/oauth/v2/authorization"], {
    brand: BRAND,
    accountField: "member",
    read: (query) => readLogin(sandbox, query),
    view: ({ scopes }) => ({
      heading: "Belfry would like to:",
      accounts: { legend: "You are", kind: "radio", choices: members().map(toChoice) },
      scopes: { canUntick: false, offered: scopes, labels: SCOPES },
      allow: "Allow",
      fiction: "these members live",
    }),
    denied: { error: "user_cancelled_authorize", error_description: "The user cancelled the authorization" },
    grant: (login, { accounts: [id = ""] }) => {
      const member = findPerson(sandbox, id);
      if (!member?.is_account) return refused("Choose who you are and try again.");
      return { code: grantLogin(sandbox, { ...login, personId: member.id }) };
    },
  });
}

/** LinkedIn ignores unknown parameters. */
function readLogin(sandbox: Sandbox, query: Record<string, string>): Login | Response {
  const app = findApp(query.client_id);
  if (!app) return refused("The passed in client_id is invalid.");
  const redirectUri = query.redirect_uri ?? "";
  if (callbackOf("linkedin", redirectUri) === null || redirectUri.includes("#")) {
    return refused(
      "The redirect_uri does not match the registered value. Here every address whose path ends in /connect/callback/linkedin is registered.",
    );
  }
  if (query.response_type !== "code") return refused("The response_type must be code.");
  const { state } = query;
  // The documentation separates scopes with spaces; LinkedIn's own client sends commas.
  const scopes = scopesIn(query, sandbox.settings.all.strict ? /\s+/ : /[\s,]+/);
  const allowed = scopesOf(app);
  const lacking = scopes.find((scope) => !allowed.includes(scope));
  if (scopes.length === 0 || lacking !== undefined) {
    return redirectBack(redirectUri, {
      error: "unauthorized_scope_error",
      error_description: `Scope "${lacking ?? ""}" is not authorized for your application`,
      ...(state === undefined ? {} : { state }),
    });
  }
  return { clientId: app.id, redirectUri, state, scopes };
}
