import type { AppName } from "./apps.ts";
import type {
  AccountAttributes,
  AccountContext,
  AccountRef,
  AppContext,
  AppCredentials,
  Credentials,
  Failure,
} from "./context.ts";
import type { GrantPurpose } from "./names.ts";

export interface OAuth {
  /** The app registration that requests the login. */
  readonly app: AppName;
  /** All scopes that it may request. */
  readonly scopes: readonly string[];
  /** The scopes that it requests with these options of the registration; absent if it always requests all. */
  readonly scopesWith?: (options: AppCredentials["options"]) => readonly string[];
  readonly setup: AppSetup;
  /** Whether the platform verifies a PKCE S256 challenge. */
  readonly pkce: boolean;
  /** The parameter that carries the code, if it is not OAuth's `code`. */
  readonly codeParameter?: "auth_code";
  /**
   * The platform's own error codes with which a login returns instead of a code, beside OAuth's
   * `access_denied`. Either the account owner declined, or a sentence says what is wrong.
   */
  readonly loginErrors?: Readonly<Record<string, "declined" | { readonly message: string }>>;
  /** The real address of the consent page (the caller rewrites it for test projects). */
  authorizeUrl(app: AppCredentials, request: AuthorizeRequest): URL;
  /**
   * Exchanges the code for everything that this login can connect. Called once, inside the callback request.
   */
  exchange(context: AppContext, grant: CodeGrant): Promise<Granted | Failure>;
}

/**
 * An additional login to another of our apps at the platform, for a grant of its own. It is optional and
 * follows the first login. Ids of one person differ by app, so its grants are matched to channels by
 * username.
 */
export interface AdditionalLogin {
  /** The only grant that it gives. */
  readonly purpose: GrantPurpose;
  /** What it connects, in a word, plural: "comments". */
  readonly title: string;
  /** The label of the checkbox that requests it. */
  readonly offer: string;
  /** What it requires of the account owner. */
  readonly needs: string;
  /**
   * The problem, and what to do, if the login is for other accounts than the connected ones. Absent: sign in
   * as those. Both parameters are lists of names, in words.
   */
  readonly mismatch?: (found: string, wanted: string) => string;
  readonly oauth: OAuth;
}

/** How our registration must be configured in the platform's console, and how to check that. */
export interface AppSetup {
  readonly site: string;
  /** The console's own words for the location of the setting. */
  readonly redirectSetting: string;
  readonly scopesSetting: string;
  /** Calls the platform and changes nothing there; absent if an app cannot read its own configuration. */
  readonly check?: (context: AppContext, redirectUri: string) => Promise<readonly AppFinding[]>;
}

export type AppFinding = { readonly topic: "credentials" | "redirect" | "webhooks"; readonly message: string } & (
  | { readonly isGood: true }
  /** `fix` is what to do, in a sentence. */
  | { readonly isGood: false; readonly fix: string }
);

export interface GrantRules {
  /** The app registration that its credentials were issued to. */
  readonly app: AppName;
  /** Absent if credentials cannot be renewed without the account owner. */
  readonly renewal?: Renewal;
  /**
   * Revokes the grant at the platform when its last channel is disconnected; absent if there is no such call.
   * It may revoke everything that the person who logged in (`GrantedAccount.login`) has allowed our app. By
   * then no other channel uses that login.
   */
  readonly revoke?: (context: AccountContext) => Promise<RevokeOutcome>;
  /** Checks once a day whether credentials that no renewal tests still work, and until when. Only reads. */
  readonly inspect?: (context: AccountContext) => Promise<Inspected | Failure>;
}

/**
 * The credentials work. `reconnectBy`: when they expire for good, epoch milliseconds; null if not reported.
 */
export interface Inspected {
  readonly kind: "alive";
  readonly reconnectBy: number | null;
}

/**
 * How credentials are renewed. Only one owner may call `refresh` at a time: the presented token may work only
 * once.
 */
export type Renewal = {
  refresh(context: AccountContext): Promise<Refreshed | Failure>;
} & (
  | { readonly by: "refresh_token" }
  /** A valid token is exchanged for one that lasts longer, and must be this old by then. */
  | { readonly by: "access_token"; readonly minAgeSeconds: number }
);

/** A grant that had already expired is `revoked` too. */
export type RevokeOutcome = { readonly kind: "revoked" } | Failure;

export interface CapabilityRules {
  readonly grant: GrantPurpose;
  /** Required: without these scopes the capability is not even tried. */
  readonly scopes: readonly string[];
  /**
   * Why an account can never do this, whatever its owner allows: a sentence; null if it can. Absent: every
   * account can.
   */
  readonly impossible?: (account: Pick<AccountRef, "id" | "attributes">) => string | null;
}

export interface AuthorizeRequest {
  readonly redirectUri: string;
  readonly state: string;
  /** Base64url SHA-256 of the verifier; null if `pkce` is false. */
  readonly codeChallenge: string | null;
}

/** The address with this query. X and LinkedIn require `%20` for a space; URLSearchParams writes a plus. */
export function addressWith(address: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(address);
  url.search = new URLSearchParams(query).toString().replaceAll("+", "%20");
  return url;
}

export interface CodeGrant {
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string | null;
}

export interface Granted {
  readonly kind: "granted";
  readonly accounts: readonly GrantedAccount[];
}

export interface GrantedAccount {
  readonly id: string;
  readonly name: string;
  readonly username: string | null;
  readonly pictureUrl: string | null;
  readonly attributes: AccountAttributes;
  /** Empty, with a sentence in `unusableReason`, if this login can do nothing with the account. */
  readonly grants: Readonly<Partial<Record<GrantPurpose, Credentials>>>;
  readonly unusableReason: string | null;
  /**
   * The person who logged in, as the platform identifies them to our app: revoking the login of one account
   * revokes all of theirs. Absent: the account itself. Null if unknown: such a grant is never revoked at the
   * platform, because that could revoke others.
   */
  readonly login?: string | null;
}

export interface Refreshed {
  readonly kind: "refreshed";
  /** A null refresh token means "keep the current one". */
  readonly credentials: Credentials;
}
