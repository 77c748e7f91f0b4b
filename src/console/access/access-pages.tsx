import { z } from "zod";
import { type AuthorizeError, answerAddress, openAppRequest } from "../../access/open-request.ts";
import { answerRequest, claimRequest, findRequest, newSecret, type OpenRequest } from "../../access/store.ts";
import { userCodeHash } from "../../access/user-code.ts";
import { beginAct, endAct } from "../../audit/store.ts";
import { AppError } from "../../core/errors.ts";
import { sha256Hex } from "../../core/tokens.ts";
import { countCodeAttempt } from "../../people/code-attempts.ts";
import { includesRole } from "../../people/roles.ts";
import { mailSecurityEvent } from "../account/security-mail.ts";
import {
  type Entry,
  FormProblem,
  PageProblem,
  type PersonVisit,
  personAction,
  personPage,
  publicPage,
  type Redirect,
} from "../definition.ts";
import { field, idIn, NoFields } from "../fields.ts";
import { Message } from "../layout.tsx";
import { readScope, TokenScope } from "../tokens/new-token.ts";
import { AccessForm, DeviceForm } from "./access-views.tsx";

/** Where a person gives a terminal or an app access to a project: one page for both (access/store.ts). */

const PATH = "/access/:secret";

/** The authorization endpoint of OAuth: it seals the request into the address of its page. */
const authorizePage = publicPage<{ readonly error: AuthorizeError }>({
  path: "/authorize",
  title: ({ access }) => access.refusedTitle,
  load: async ({ deps, query, origin: issuer, browser, now }) => {
    const opened = await openAppRequest(deps, { query, issuer, sender: browser }, now);
    return opened.kind === "opened" ? { to: `/console/access/${opened.secret}` } : opened;
  },
  view: ({ error }, { texts: { access, errors } }) => (
    <Message title={access.refusedTitle} lead={access.refusals[error]} back={errors.back} />
  ),
});

const devicePage = personPage({
  path: "/device",
  title: ({ access }) => access.deviceTitle,
  load: async () => ({}),
  view: (_, visit) => <DeviceForm visit={visit} code="" />,
});

/** The address that a terminal shows has its code, which the person compares. */
const codePage = personPage({
  path: "/device/:secret",
  title: ({ access }) => access.deviceTitle,
  load: async () => ({}),
  view: (_, visit) => <DeviceForm visit={visit} code={/^[\w-]{1,20}$/.exec(visit.params.secret ?? "")?.[0] ?? ""} />,
});

const enterAction = personAction({
  effect: "sets",
  path: "/device",
  page: "/device",
  body: () => z.object({ code: field(z.string().max(20)) }),
  run: async ({ deps, visitor, texts, now }, { code }) => {
    const { directory: db, config } = deps;
    const personId = visitor.person.id;
    const mayTry = await countCodeAttempt(db, personId, now);
    if (!mayTry) throw new PageProblem("rate_limited", texts.access.tooManyCodes);
    const secret = await claimRequest(db, await userCodeHash(config.signingKey, code), personId, now);
    if (secret === null) throw new FormProblem({ code: [texts.access.wrongCode] });
    return { to: `/console/access/${secret}` };
  },
});

const requestPage = personPage({
  path: PATH,
  needsRecentSignIn: true,
  title: ({ access }) => access.title({ name: "" }),
  load: async (visit) => ({ request: await requestOf(visit) }),
  view: ({ request }, visit) => {
    const { access, errors } = visit.texts;
    if (!request) return <Message title={access.overTitle} lead={access.overLead} back={errors.back} />;
    return <AccessForm visit={visit} request={request} />;
  },
  leadsTo: ({ request }) => (request?.redirectUri ? formSource(request.redirectUri) : undefined),
});

const requestOf = ({ deps, visitor, params, now }: PersonVisit): Promise<OpenRequest | null> =>
  findRequest(deps, params.secret ?? "", visitor.person.id, now);

/** The address of an app as a source of the content security policy. */
function formSource(address: string): string {
  const { protocol, origin } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? origin : protocol;
}

const allowAction = personAction({
  effect: "sets",
  path: `${PATH}/allow`,
  page: PATH,
  needsRecentSignIn: true,
  body: () => TokenScope.extend({ project: field(z.string()) }),
  run: async (visit, body) => {
    const { deps, visitor, texts, now } = visit;
    const id = idIn(body.project);
    const membership = visitor.memberships.find(({ project }) => Number(project.id) === id);
    if (!membership || !includesRole(membership.role, "owner")) throw new AppError("not_found", "No such project.");
    const request = await openRequest(visit);
    const { project } = membership;
    const { permissions, expiresAt } = readScope(body, visit, project.timeZone);
    if (!permissions.every((permission) => request.requested.includes(permission))) {
      throw new FormProblem({ permission: [texts.access.notOffered] });
    }
    const { person } = visitor;
    const code = request.kind === "app" ? newSecret() : null;
    const answer = {
      state: "allowed",
      personId: person.id,
      projectId: project.id,
      createdBy: person.email,
      permissions,
      tokenExpiresAt: expiresAt,
      codeHash: code === null ? null : await sha256Hex(code),
    } as const;
    const act = { projectId: project.id, at: now, source: "console", actor: person.email } as const;
    const home = deps.in(project.database);
    const entry = await beginAct(home.db, { ...act, action: "/access/allow", path: "/console/access" });
    if (!(await answerRequest(deps.directory, request, answer, now))) {
      await endAct(home, entry, "nothing");
      throw over(visit);
    }
    visit.background(endAct(home, entry, "done"));
    mailSecurityEvent(visit, person.email, "token");
    const back = `/console/projects/${project.id}/tokens`;
    return code === null
      ? { to: back, flash: { notice: texts.access.allowedNotice({ name: request.clientName }) } }
      : returnTo(visit, request, { code });
  },
});

const denyAction = personAction({
  effect: "sets",
  path: `${PATH}/deny`,
  page: PATH,
  body: () => NoFields,
  run: async (visit) => {
    const { deps, visitor, texts, now } = visit;
    const request = await openRequest(visit);
    const isDenied = await answerRequest(
      deps.directory,
      request,
      { state: "denied", personId: visitor.person.id },
      now,
    );
    if (!isDenied) throw over(visit);
    return request.kind === "app"
      ? returnTo(visit, request, { error: "access_denied" })
      : { to: "/console/device", flash: { notice: texts.access.deniedNotice } };
  },
});

async function openRequest(visit: PersonVisit): Promise<OpenRequest> {
  const request = await requestOf(visit);
  if (!request) throw over(visit);
  return request;
}

const over = ({ texts }: PersonVisit) => new PageProblem("not_changeable", texts.access.overLead);

/** Sends the person back to the app with this answer. */
function returnTo(
  { origin }: PersonVisit,
  { redirectUri, clientState }: OpenRequest,
  answer: Readonly<Record<string, string>>,
): Redirect {
  if (redirectUri === null) throw new Error("A request of an app has an address.");
  return { to: answerAddress({ redirectUri, clientState }, origin, answer) };
}

export const ACCESS: readonly Entry[] = [
  authorizePage,
  devicePage,
  codePage,
  enterAction,
  requestPage,
  allowAction,
  denyAction,
];
