import type { ProjectId, TokenId, UserId } from "./ids.ts";
import type { Permission } from "./permissions.ts";

/** The caller that a token identifies (spec 5.4). */
export interface Caller {
  readonly tokenId: TokenId;
  readonly projectId: ProjectId;
  readonly userId: UserId;
  /** The number of the project's database. */
  readonly database: number;
  /** A test project's platform calls go to the sandbox. */
  readonly isTest: boolean;
  /** The project's time zone: for its schedules, and for posts that name none. */
  readonly timeZone: string;
  readonly permissions: readonly Permission[];
  /** Whether a person must confirm what this caller spends, by whatever door: it is an agent. */
  readonly moneyNeedsPerson: boolean;
  /** Permits of the rate limit left in this second, as far as this isolate knows. */
  readonly remaining: number;
}
