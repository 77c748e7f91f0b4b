import { callJson } from "./http.mjs";

/** The operator's side of the service (src/accounts/operator.ts): tokens. A refusal becomes an error with its sentence. */
export function operatorOf(origin, key) {
  const call = async (method, path, body) => {
    const answer = await callJson(method, `${origin}/internal${path}`, { headers: { "X-Operator-Key": key }, body });
    if (answer.status === 200) return answer.body;
    throw new OperatorError(answer);
  };
  return {
    /** `request`: project, name, permissions, expires_at. */
    issueToken: (request) => call("POST", "/tokens", request),
    listTokens: async () => (await call("GET", "/tokens")).tokens,
    revokeToken: (id) => call("POST", "/tokens/revoke", { id }),
  };
}

export class OperatorError extends Error {
  constructor({ status, body }) {
    const sentences = Object.entries(body?.errors ?? {}).map(([field, said]) => `${field}: ${[said].flat().join(" ")}`);
    super([body?.message ?? `The service answered ${status}.`, ...sentences].join("\n"));
    this.status = status;
    this.isRefusedKey = status === 404 && body?.code === "not_found" && !/token/.test(body?.message ?? "");
  }
}
