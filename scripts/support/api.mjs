import { callJson } from "./http.mjs";

/** The service's HTTP surface as a customer uses it. An answer that is not 200 becomes an ApiError. */
export function createApi(origin, token) {
  const call = async (method, path, body, headers = {}) => {
    const answer = await callJson(method, `${origin}/api/v1/social${path}`, {
      headers: { Authorization: `Bearer ${token}`, ...headers },
      body,
    });
    if (answer.status !== 200) throw new ApiError(`${method} /social${path}`, answer);
    return answer.body;
  };
  return {
    connectChannel: (body) => call("POST", "/connect-channel", body),
    connectStatus: (connectToken) => call("GET", `/connect-status?connect_token=${encodeURIComponent(connectToken)}`),
    listChannels: async () => (await call("GET", "/get-channels?limit=100")).channels.data,
    createPost: async (body, idempotencyKey) =>
      (await call("POST", "/create-post", body, idempotencyKey ? { "Idempotency-Key": idempotencyKey } : {})).data,
    listPosts: async (query) => (await call("GET", `/get-posts?${query}`)).posts,
    findPost: async (id) => (await call("GET", `/post/${id}`)).post,
    listEvents: async (id) => (await call("GET", `/post/${id}/events`)).events,
  };
}

export class ApiError extends Error {
  constructor(operation, { status, body }) {
    const details = body?.errors ? ` ${JSON.stringify(body.errors)}` : "";
    super(`${operation} answered ${status}: ${body?.message ?? "nothing"}${details}`);
    this.status = status;
  }
}
