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
  /** The app registration that asks for the login. */
  readonly app: AppName;
  /** All that it may ask for. */
  readonly scopes: readonly string[];
  /**
   * Those of them that it asks for with these options of the registration; absent where they are always all.
   */
  readonly scopesWith?: (options: AppCredentials["options"]) => readonly string[];
  readonly setup: AppSetup;
  /** Whether the platform verifies a PKCE S256 challenge. */
  readonly pkce: boolean;
  /** The name under which the code comes back, where it is not OAuth's `code`. */
  readonly codeParameter?: "auth_code";
  /**
   * Errors of the platform's own with which a login comes back in place of a code, beside OAuth's
   * `access_denied`: the person said no, or a sentence for what is wrong.
   */
  readonly loginErrors?: Readonly<Record<string, "declined" | { readonly message: string }>>;
  /** The real address of the consent page (rewritten for test projects by the caller). */
  authorizeUrl(app: AppCredentials, request: AuthorizeRequest): URL;
  /** Turns the code into everything this login can connect. Called once, inside the callback request. */
  exchange(context: AppContext, grant: CodeGrant): Promise<Granted | Failure>;
}

/**
 * A login beside the platform's own, to another app of ours there, for a grant of its own. It comes after the
 * first one, for those who want it, and what it grants goes to the channels of the same usernames: ids of one
 * person differ by app.
 */
export interface AdditionalLogin {
  /** The only grant that it gives. */
  readonly purpose: GrantPurpose;
  /** What it connects, in a word, plural: "comments". */
  readonly title: string;
  /** What people tick to get it. */
  readonly offer: string;
  /** What it asks of them. */
  readonly needs: string;
  /**
   * What is wrong, and helps, where the login is for other accounts than those that are connected. Absent: to
   * sign in as those. Both are lists of names, in words.
   */
  readonly mismatch?: (found: string, wanted: string) => string;
  readonly oauth: OAuth;
}

/** What our registration must look like in the platform's console, and how to see whether it does. */
export interface AppSetup {
  readonly site: string;
  /** The console's own words for where it stands. */
  readonly redirectSetting: string;
  readonly scopesSetting: string;
  /** Asks the platform; absent where it tells an app nothing about itself. Changes nothing there. */
  readonly check?: (context: AppContext, redirectUri: string) => Promise<readonly AppFinding[]>;
}

export type AppFinding = { readonly topic: "credentials" | "redirect" | "webhooks"; readonly message: string } & (
  | { readonly isGood: true }
  /** `fix` is what to do, in a sentence. */
  | { readonly isGood: false; readonly fix: string }
);

export interface GrantRules {
  /** The app registration that its credentials were given to. */
  readonly app: AppName;
  /** Absent where credentials cannot be renewed without the person. */
  readonly renewal?: Renewal;
  /**
   * Ends the grant at the platform, when its last channel is disconnected; absent where there is no such
   * call. It may end all that the person of the login (`GrantedAccount.login`) has allowed our app: no other
   * channel has it by then.
   */
  readonly revoke?: (context: AccountContext) => Promise<RevokeOutcome>;
  /**
   * Asks the platform whether credentials work that no renewal asks about, and until when; asked once a day.
   * Only reads.
   */
  readonly inspect?: (context: AccountContext) => Promise<Inspected | Failure>;
}

/** They work. `reconnectBy`: when they end for good, epoch milliseconds; null where none is told. */
export interface Inspected {
  readonly kind: "alive";
  readonly reconnectBy: number | null;
}

/**
 * How credentials are renewed. `refresh` must be called by one owner at a time: what it presents may work
 * only once.
 */
export type Renewal = {
  refresh(context: AccountContext): Promise<Refreshed | Failure>;
} & (
  | { readonly by: "refresh_token" }
  /** The token that still works is presented to get one that works longer, and must be this old by then. */
  | { readonly by: "access_token"; readonly minAgeSeconds: number }
);

/** What was over already is `revoked` too. */
export type RevokeOutcome = { readonly kind: "revoked" } | Failure;

export interface CapabilityRules {
  readonly grant: GrantPurpose;
  /** Without these it is not even tried. */
  readonly scopes: readonly string[];
  /**
   * Why an account can never do this, whatever its person allows: a sentence; null where it can. Absent:
   * every account can.
   */
  readonly impossible?: (account: Pick<AccountRef, "id" | "attributes">) => string | null;
}

export interface AuthorizeRequest {
  readonly redirectUri: string;
  readonly state: string;
  /** Base64url SHA-256 of the verifier; null where `pkce` is false. */
  readonly codeChallenge: string | null;
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
  /** None, and a sentence in `unusableReason`, when this login can do nothing with the account. */
  readonly grants: Readonly<Partial<Record<GrantPurpose, Credentials>>>;
  readonly unusableReason: string | null;
  /**
   * Who logged in, as the platform names them to our app: what ends the login of one account ends all of
   * theirs. Absent: the account itself. Null where that cannot be told: such a grant is never ended at the
   * platform, lest it end others.
   */
  readonly login?: string | null;
}

export interface Refreshed {
  readonly kind: "refreshed";
  /** A null refresh token means "keep the one you have". */
  readonly credentials: Credentials;
}
