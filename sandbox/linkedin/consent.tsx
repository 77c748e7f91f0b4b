// www.linkedin.com: the page where a member allows everything or nothing, and the posts behind permalinks.

import { Hono } from "hono";
import { type Brand, ChoiceRow, consentPage, consentRefused, initials, redirectBack, sentQuery } from "../consent";
import { postPage } from "../feed";
import type { Sandbox } from "../sandbox";
import type { LinkedinEnv } from "./api";
import { findApp, isRegisteredRedirect, SCOPES, scopesOf } from "./apps";
import { grantLogin } from "./oauth";
import { findPerson, findPost, type PersonRow, type RoleRow } from "./store";

const BRAND: Brand = {
  name: "LinkedIn",
  logo: <span class="logo">LinkedIn</span>,
  accent: "#0a66c2",
  accentText: "#fff",
  background: "#f4f2ee",
  header: "background:#fff;color:#0a66c2;border-bottom:1px solid #e0dfdc",
};

interface Asked {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly scopes: readonly string[];
}

export function websiteRoutes(sandbox: Sandbox) {
  const app = new Hono<LinkedinEnv>();
  const members = () => sandbox.db.all<PersonRow>("SELECT * FROM linkedin_people WHERE is_account = 1 ORDER BY id");

  app.get("/oauth/v2/authorization", (c) => {
    const query = c.req.query();
    const asked = readAsked(sandbox, query);
    return asked instanceof Response ? asked : authorizePage(sandbox, query, asked, members());
  });

  app.post("/oauth/v2/authorization", async (c) => {
    const form = await c.req.formData().catch(() => new FormData());
    const asked = readAsked(sandbox, sentQuery(form));
    if (asked instanceof Response) return asked;
    const state: Record<string, string> = asked.state === undefined ? {} : { state: asked.state };
    if (form.get("decision") !== "allow") {
      return redirectBack(asked.redirectUri, {
        error: "user_cancelled_authorize",
        error_description: "The user cancelled the authorization",
        ...state,
      });
    }
    const member = findPerson(sandbox, String(form.get("member") ?? ""));
    if (!member?.is_account) return refused("Choose who you are and try again.");
    const code = grantLogin(sandbox, { ...asked, personId: member.id });
    return redirectBack(asked.redirectUri, { code, ...state });
  });

  app.get("/feed/update/:urn/", (c) => postPage(sandbox, "linkedin", shown(sandbox, c.req.param("urn"))));
  app.get("/feed/update/:urn", (c) => postPage(sandbox, "linkedin", shown(sandbox, c.req.param("urn"))));
  app.get("*", () => postPage(sandbox, "linkedin", null));
  return app;
}

const shown = (sandbox: Sandbox, urn: string): string | null => findPost(sandbox, decodeURIComponent(urn))?.urn ?? null;
const refused = (detail: string) => consentRefused(BRAND, "Bummer, something went wrong.", detail);

/** What LinkedIn does not know it ignores. */
function readAsked(sandbox: Sandbox, query: Record<string, string>): Asked | Response {
  const app = findApp(query.client_id);
  if (!app) return refused("The passed in client_id is invalid.");
  const redirectUri = query.redirect_uri ?? "";
  if (!isRegisteredRedirect(redirectUri)) {
    return refused(
      "The redirect_uri does not match the registered value. Here every address whose path ends in /connect/callback/linkedin is registered.",
    );
  }
  if (query.response_type !== "code") return refused("The response_type must be code.");
  const { state } = query;
  // Spaces by the documents; LinkedIn's own client writes commas.
  const between = sandbox.settings.all.strict ? /\s+/ : /[\s,]+/;
  const scopes = [...new Set((query.scope ?? "").split(between).filter(Boolean))];
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

function authorizePage(
  sandbox: Sandbox,
  query: Record<string, string>,
  asked: Asked,
  members: readonly PersonRow[],
): Response {
  const pagesOf = ({ id }: PersonRow) =>
    sandbox.db.all<RoleRow>("SELECT * FROM linkedin_roles WHERE person_id = ?", id).length;
  return consentPage({
    brand: BRAND,
    query,
    heading: "Belfry would like to:",
    allow: "Allow",
    note: (
      <>
        Nothing here is real: these members live in this sandbox only. You go back to{" "}
        <code>{new URL(asked.redirectUri).origin}</code>.
      </>
    ),
    children: (
      <>
        <fieldset>
          <legend>
            <span class="legend">You are</span>
          </legend>
          {members.map((member, index) => (
            <ChoiceRow
              kind="radio"
              name="member"
              value={member.id}
              label={`${member.given_name} ${member.family_name}`}
              about={pagesOf(member) === 0 ? "No pages" : `Roles on ${pagesOf(member)} pages`}
              initials={initials(`${member.given_name} ${member.family_name}`)}
              checked={index === 0}
            />
          ))}
        </fieldset>
        <ul class="scopes">
          {asked.scopes.map((scope) => (
            <li>
              <span class="what">
                <span>{SCOPES[scope]}</span>
                <span class="about">{scope}</span>
              </span>
            </li>
          ))}
        </ul>
      </>
    ),
  });
}
