import type { AppName } from "./apps.ts";
import type {
  AccountAttributes,
  AccountContext,
  AccountRef,
  AppContext,
  AppCredentials,
  Credentials,
  Failure,
  Json,
} from "./context.ts";
import type { GrantPurpose } from "./names.ts";

/** A platform's login. */
export type OAuth = RedirectLogin | AskedLogin;

interface LoginBase {
  /** The app registration that requests the login. */
  readonly app: AppName;
  /** All scopes that it may request. */
  readonly scopes: readonly string[];
  /** The scopes that it requests with these options of the registration; absent if it always requests all. */
  readonly scopesWith?: (options: AppCredentials["options"]) => readonly string[];
  readonly setup: AppSetup;
  /**
   * The document at the address that is our app's id (`AppRegistration.servedAt`), for these callback
   * addresses. Rejects if the app's keys cannot be read. Absent for an app that is registered by hand.
   */
  readonly clientDocument?: (app: AppCredentials, redirectUris: readonly string[]) => Promise<Json>;
  /** Whether the platform verifies a PKCE S256 challenge. */
  readonly pkce: boolean;
  /** The parameter that carries the code, if it is not OAuth's `code`. */
  readonly codeParameter?: "auth_code";
  /**
   * The platform's own error codes with which a login returns instead of a code, beside OAuth's
   * `access_denied`. Either the account owner declined, or a sentence says what is wrong.
   */
  readonly loginErrors?: Readonly<Record<string, "declined" | { readonly message: string }>>;
  /**
   * Exchanges the code for everything that this login can connect. Called once, inside the callback request.
   */
  exchange(context: AppContext, grant: CodeGrant): Promise<Granted | Failure>;
}

/** A login on the platform's own host, whose address needs no call. */
export interface RedirectLogin extends LoginBase {
  /** The real address of the consent page (the caller rewrites it for test projects). */
  authorizeUrl(app: AppCredentials, request: AuthorizeRequest): URL;
}

/** A login on a server that the account owner names: a page asks for it, and a call starts the login. */
export interface AskedLogin extends LoginBase {
  readonly asks: LoginQuestion;
  /** A failure that is `rejected` says what is wrong with the answer. */
  start(context: AppContext, request: AuthorizeRequest, answer: string): Promise<StartedLogin | Failure>;
}

/** The question of a page before the login. */
export interface LoginQuestion {
  readonly label: string;
  /** What to enter, in a sentence or two. */
  readonly hint: string;
  /** What the field contains at first: the answer of most account owners. */
  readonly usual: string;
}

export interface StartedLogin {
  readonly kind: "started";
  /** The real address of the consent page. */
  readonly url: URL;
  /** What `exchange` needs. Sealed until then. */
  readonly kept: Json;
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
  /** The same with these options of the registration; absent if it is always there. */
  readonly scopesSettingWith?: (options: AppCredentials["options"]) => string;
  /** APIs that are enabled one by one in the console, and where; absent if the app has all that it needs. */
  readonly apis?: { readonly names: readonly string[]; readonly setting: string };
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
  | {
      readonly by: "refresh_token";
      /**
       * Credentials are renewed only before they are used, and after this long without use. For credentials
       * that expire within hours, and where a lost answer ends the login: each renewal is a risk. Absent:
       * renewed ahead of their expiry.
       */
      readonly idleSeconds?: number;
    }
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

export function missingScopes(missing: readonly string[]): string {
  return `Missing permissions: ${missing.join(", ")}. Connect again and leave everything selected.`;
}

export interface CodeGrant {
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string | null;
  /** The `iss` parameter of the callback (RFC 9207). */
  readonly issuer?: string | undefined;
  /** What `AskedLogin.start` kept. */
  readonly kept?: Json | undefined;
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
