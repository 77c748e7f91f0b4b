// Responses of TikTok's API for Business: always status 200, with the result in `code` (0 is success).

import { randomText } from "../random";

export const CODES = {
  param: 40002,
  permission: 40001,
  missing: 40007,
  noUpdate: 40012,
  repeated: 40050,
  tooMany: 40061,
  tooOften: 40100,
  client: 40101,
  expired: 40102,
  refreshExpired: 40103,
  noToken: 40104,
  badToken: 40105,
  badRefresh: 40107,
  grantType: 40108,
  badCode: 40110,
  notListed: 40118,
  scope: 40130,
  noAdvertiser: 40300,
  outage: 50000,
} as const;

export class BusinessError extends Error {
  readonly code: number;

  constructor(code: keyof typeof CODES, message: string) {
    super(message);
    this.code = CODES[code];
  }

  toResponse(): Response {
    return answer({ code: this.code, message: this.message, data: {} });
  }
}

export const ok = (data: object): Response => answer({ code: 0, message: "OK", data });
/** Partial success. */
export const partly = (data: object): Response => answer({ code: 20001, message: "Partial success.", data });

const answer = (body: object): Response =>
  Response.json({ ...body, request_id: `20261120${randomText(18).toUpperCase()}` });

export const badParam = (message: string) => new BusinessError("param", message);
export const outage = () => new BusinessError("outage", "System error, please try again later.");
export const tooOften = () => new BusinessError("tooOften", "Too many requests. Please retry in some time.");
