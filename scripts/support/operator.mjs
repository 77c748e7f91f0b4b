import { Refusal } from "./command.mjs";
import { callJson } from "./http.mjs";

/** The operator's side of the service (src/accounts/operator.ts): tokens. A refusal becomes an error with its sentence. */
export function operatorOf(origin, key) {
  const call = async (method, path, body) => {
    const answer = await callJson(method, `${origin}/internal${path}`, {
      headers: { "X-Operator-Key": key },
      body,
    }).catch((error) => {
      throw new Refusal(`${origin} does not answer: ${error.cause?.message || error.message}.`);
    });
    if (answer.status === 200) return answer.body;
    throw new Refusal(sentenceOf(answer, origin));
  };
  return {
    /** `request`: project, name, permissions, expires_at. */
    issueToken: (request) => call("POST", "/tokens", request),
    listTokens: async () => (await call("GET", "/tokens")).tokens,
    revokeToken: (id) => call("POST", "/tokens/revoke", { id }),
  };
}

function sentenceOf({ status, body }, origin) {
  // Without the right key, /internal does not exist.
  if (status === 404 && /nothing at this address/.test(body?.message)) {
    return `${origin} does not know this operator key (or is not a Belfry service).`;
  }
  const errors = Object.entries(body?.errors ?? {}).map(
    ([field, sentences]) => `${field}: ${[sentences].flat().join(" ")}`,
  );
  return [body?.message ?? `${origin} answered ${status}.`, ...errors].join("\n");
}
