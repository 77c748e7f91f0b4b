import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { describe, test } from "vitest";
import worker from "../../src/worker.ts";
import { PRODUCTION } from "../support/production.ts";
import { bindings } from "../support/queue.ts";

async function send(path: string, init: RequestInit = {}, changes: object = {}): Promise<Response> {
  const context = createExecutionContext();
  const env = { ...bindings, ...PRODUCTION, ...changes };
  const answer = await worker.fetch(
    new Request(`http://belfry.test${path}`, { redirect: "manual", ...init }),
    env,
    context,
  );
  await waitOnExecutionContext(context);
  return answer;
}

/** One address of every door. */
const PAGES = [
  "/",
  "/console",
  "/console/sign-in?to=%2Fconsole",
  "/connect/x",
  "/docs",
  "/healthz",
  "/api/v1/openapi.json",
];
const DOORS = [
  "/api/v1/social/create-post",
  "/mcp",
  "/oauth/token",
  "/oauth/device",
  "/internal/tokens",
  "/console/sign-in",
  "/webhooks/facebook",
];

describe("plain http in production", () => {
  test.for(PAGES)("leads to https at %s", async (path, { expect }) => {
    const answer = await send(path);
    expect(answer.status).toBe(308);
    expect(answer.headers.get("Location")).toBe(`https://belfry.test${path}`);
    expect(answer.headers.get("Set-Cookie")).toBeNull();
  });

  test.for(DOORS)("is refused with a body at %s", async (path, { expect }) => {
    const answer = await send(path, { method: "POST", body: "{}", headers: { "Content-Type": "application/json" } });
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ status: false, message: expect.stringContaining("https only") });
  });

  test.for(["Authorization", "X-Operator-Key"])("is refused with the header %s", async (name, { expect }) => {
    const answer = await send("/api/v1/social/get-channels", { headers: { [name]: "Bearer blf_x" } });
    expect(answer.status).toBe(422);
    expect(answer.headers.get("Location")).toBeNull();
  });

  test("is served in development", async ({ expect }) => {
    const answer = await send(
      "/console/sign-in",
      {},
      { ENVIRONMENT: "development", PUBLIC_ORIGIN: "http://belfry.test" },
    );
    expect(answer.status).toBe(200);
  });
});
