import { type Operator, operatorOf } from "./api.ts";
import { Refusal } from "./command.ts";

export interface RemoteService {
  /** Without a trailing slash. */
  readonly origin: string;
  readonly operator: Operator;
}

/** The deployed service of BELFRY_URL and BELFRY_OPERATOR_KEY; throws a Refusal if they are not set. */
export function remoteService(): RemoteService {
  const { BELFRY_URL: url, BELFRY_OPERATOR_KEY: key } = process.env;
  if (!url || !key) {
    const missing = [url ? [] : ["BELFRY_URL"], key ? [] : ["BELFRY_OPERATOR_KEY"]].flat().join(" and ");
    throw new Refusal(`--remote needs ${missing}: the address of the deployed service and its OPERATOR_KEY.`);
  }
  if (!/^https?:\/\/[^/]/.test(url)) throw new Refusal(`BELFRY_URL must be an http(s) address, not "${url}".`);
  const origin = url.replace(/\/+$/, "");
  return { origin, operator: operatorOf(origin, key) };
}
