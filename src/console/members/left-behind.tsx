import { z } from "zod";
import { revokeCreatedTokens, selectCreatedTokens } from "../../accounts/created-tokens.ts";
import type { TokenId } from "../../core/ids.ts";
import { readTogether } from "../../db/client.ts";
import { revokeInvitationsBy, selectInvitations } from "../../people/invitations.ts";
import { selectMembers } from "../../people/members.ts";
import { includesRole, type Role } from "../../people/roles.ts";
import { revokeLinksOf, selectLinkMakers } from "../../posts/approval/created-links.ts";
import { tokenName } from "../../posts/approval/request-approval.ts";
import { type Entry, type ProjectVisit, projectAction } from "../definition.ts";
import { email } from "../fields.ts";
import { Confirm } from "../parts.tsx";

/**
 * What people created in a project who left it, or whose role no longer allows it: access tokens and
 * invitations of former owners, links for clients of former editors. Owners see it with the members, and end
 * all of one person by one button.
 */
export interface LeftBehind {
  readonly email: string;
  /** Names of access tokens. */
  readonly tokens: readonly string[];
  readonly invitations: number;
  readonly links: number;
}

/** What the page of members reads. What was left behind: for owners only. */
export async function loadMembers({ deps, project, role, now }: ProjectVisit) {
  const { directory: db } = deps;
  const isOwner = includesRole(role, "owner");
  const { members, invitations, tokens } = await readTogether(db, {
    members: selectMembers(db, project.id),
    invitations: selectInvitations(db, project.id, now),
    tokens: selectCreatedTokens(db, project.id, now),
  });
  const links = isOwner ? await selectLinkMakers(deps.db, project.id) : [];
  const left = isOwner ? leftBehind({ members, invitations, tokens, links }) : [];
  return { members, invitations, left };
}

interface Created {
  readonly members: readonly { readonly email: string; readonly role: Role }[];
  readonly invitations: readonly { readonly invitedBy: string }[];
  readonly tokens: readonly { readonly id: TokenId; readonly name: string; readonly createdBy: string | null }[];
  readonly links: readonly { readonly linkedBy: string | null }[];
}

function leftBehind({ members, invitations, tokens, links }: Created): LeftBehind[] {
  const roles = new Map(members.map(({ email: address, role }) => [address, role]));
  const lacks = (address: string | null, role: Role): address is string => {
    const held = address === null ? undefined : roles.get(address);
    return address !== null && (held === undefined || !includesRole(held, role));
  };
  const ofTokens = tokens.filter(({ createdBy }) => lacks(createdBy, "owner"));
  const ofInvitations = invitations.filter(({ invitedBy }) => lacks(invitedBy, "owner"));
  const byToken = new Map(ofTokens.map(({ id, createdBy }) => [tokenName({ tokenId: id }), createdBy]));
  const makers = links.flatMap(({ linkedBy }) => {
    if (linkedBy === null) return [];
    if (linkedBy.includes("@")) return lacks(linkedBy, "editor") ? [linkedBy] : [];
    return byToken.get(linkedBy) ?? [];
  });
  const people = [
    ...ofTokens.map(({ createdBy }) => createdBy),
    ...ofInvitations.map((one) => one.invitedBy),
    ...makers,
  ];
  return [...new Set(people)].flatMap((address) =>
    address === null
      ? []
      : [
          {
            email: address,
            tokens: ofTokens.flatMap(({ name, createdBy }) => (createdBy === address ? [name] : [])),
            invitations: ofInvitations.filter(({ invitedBy }) => invitedBy === address).length,
            links: makers.filter((maker) => maker === address).length,
          },
        ],
  );
}

export function LeftBehindList({
  visit,
  left,
}: {
  readonly visit: ProjectVisit;
  readonly left: readonly LeftBehind[];
}) {
  const { leftBehind: texts } = visit.texts.members;
  if (left.length === 0) return null;
  return (
    <>
      <div>
        <h2>{texts.title}</h2>
        <p class="lead">{texts.lead}</p>
      </div>
      <ul class="card flush items" aria-label={texts.title}>
        {left.map(({ email: address, tokens, invitations, links }, index) => (
          <li>
            <div class="what">
              <span class="name">{address}</span>
              <span class="facts">
                {tokens.length > 0 && <span>{texts.tokens({ names: tokens.join(", ") })}</span>}
                {invitations > 0 && <span>{texts.invitations({ count: invitations })}</span>}
                {links > 0 && <span>{texts.links({ count: links })}</span>}
              </span>
            </div>
            <Confirm
              visit={visit}
              id={`left-${index}`}
              button={texts.revoke}
              title={texts.revokeTitle({ email: address })}
              lead={texts.revokeLead}
              action={`/console/projects/${visit.project.id}/members/left-behind`}
            >
              <input type="hidden" name="email" value={address} />
            </Confirm>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Ends what this person created and may not create any more. Repeatable. */
const revokeAction = projectAction({
  effect: "sets",
  path: "/projects/:project/members/left-behind",
  page: "/projects/:project/members",
  role: "owner",
  needsRecentSignIn: true,
  body: () => z.object({ email }),
  run: async (visit, { email: address }) => {
    const { deps, project, texts } = visit;
    const left = (await loadMembers(visit)).left.find((one) => one.email === address);
    if (left) {
      const revoked = left.tokens.length > 0 ? await revokeAllTokens(visit, address) : [];
      if (left.links > 0) await revokeLinksOf(deps.db, project.id, [address, ...revoked]);
      if (left.invitations > 0) await revokeInvitationsBy(deps.directory, project.id, address);
    }
    return { to: `/console/projects/${project.id}/members`, flash: { notice: texts.members.leftBehind.revoked } };
  },
});

/** Returns how they sign links. */
async function revokeAllTokens({ deps, project }: ProjectVisit, address: string): Promise<string[]> {
  const ids = await revokeCreatedTokens(deps, { projectId: project.id, email: address }, "all");
  return ids.map((id) => tokenName({ tokenId: id }));
}

export const LEFT_BEHIND: readonly Entry[] = [revokeAction];
