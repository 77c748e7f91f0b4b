import { sha256Hex } from "../../core/tokens.ts";
import { Heading } from "../../pages/layout.tsx";
import { enterByIdentity } from "../../people/identities.ts";
import { beginAtProvider, type ProviderPlace, returnFromProvider } from "../../people/provider.ts";
import { type Entry, publicPage, type Redirect, type Visit } from "../definition.ts";
import { localPath } from "../fields.ts";
import { invitationIn, signInAs } from "./signing-in.ts";

/** Sign-in at the OpenID Connect provider of this service: to the provider, and back. */

type Problem = "notConfigured" | "unreachable" | "over" | "refused" | "no_address" | "not_admitted" | "other";

const CALLBACK = "/sign-in/provider/callback";
const placeOf = ({ browser, origin }: Visit): ProviderPlace => ({
  browserHash: browser.hash,
  redirectUri: `${origin}/console${CALLBACK}`,
});

/** A browser keeps 4 KB in a cookie: from a longer address, the person opens it again after the sign-in. */
const MAX_KEPT = 2_000;

const beginPage = publicPage({
  path: "/sign-in/provider",
  title: ({ signIn }) => signIn.title,
  load: async (visit): Promise<Redirect | { readonly problem: Problem }> => {
    const { deps, query, now } = visit;
    if (deps.config.provider === null) return { problem: "notConfigured" };
    try {
      const to = localPath(query.to);
      const kept = to.length <= MAX_KEPT ? to : "/console";
      const { url, sealed } = await beginAtProvider(deps, placeOf(visit), kept, now);
      return { to: url, begun: sealed };
    } catch (error) {
      deps.log.error("provider_unreachable", error);
      return { problem: "unreachable" };
    }
  },
  view: ({ problem }, visit) => <ProviderProblem visit={visit} problem={problem} />,
});

const callbackPage = publicPage({
  path: CALLBACK,
  title: ({ signIn }) => signIn.title,
  load: async (visit): Promise<Redirect | { readonly problem: Problem }> => {
    const { deps, browser, query, visitor, now } = visit;
    if (deps.config.provider === null) return { problem: "notConfigured" };
    const answer = new URLSearchParams(query);
    try {
      const sealed = browser.begun ?? "";
      const returned = sealed === "" ? null : await returnFromProvider(deps, placeOf(visit), { sealed, answer }, now);
      if (returned === null) return { problem: "over" };
      const invitation = invitationIn(returned.to);
      const hash = invitation === null ? null : await sha256Hex(invitation);
      const entered = await enterByIdentity(deps, returned.identity, hash, now);
      if (typeof entered === "string") return { problem: entered };
      // A person who confirms who they are does not become another one, except to accept an invitation.
      if (visitor && visitor.person.id !== entered.personId && invitation === null) return { problem: "other" };
      return { ...(await signInAs(visit, entered, returned.to)), begun: null };
    } catch (error) {
      deps.log.error("provider_refused", error);
      return { problem: "refused" };
    }
  },
  view: ({ problem }, visit) => <ProviderProblem visit={visit} problem={problem} />,
});

function ProviderProblem({ visit, problem }: { readonly visit: Visit; readonly problem: Problem }) {
  const { provider, title } = visit.texts.signIn;
  return (
    <>
      <Heading mark="bad" title={provider.failed} lead={provider.problems[problem]} />
      <div class="buttons">
        <a class="button first" href="/console/sign-in?again=1&to=/console">
          {title}
        </a>
      </div>
    </>
  );
}

export const PROVIDER: readonly Entry[] = [beginPage, callbackPage];
