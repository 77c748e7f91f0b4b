import { beforeAll, describe, test } from "vitest";
import { z } from "zod";
import { OPERATIONS } from "../../src/api/operations.ts";
import { CONSOLE } from "../../src/console/catalog.ts";
import { PAID_OPERATIONS } from "../../src/mcp/calls.ts";
import { CONSOLE_URL, filled, formTo, newEmail, signedIn } from "../console/console-browser.ts";
import { connectAgent } from "../mcp/agent.ts";
import { boostHome, type Home, wanted } from "../support/boosts.ts";
import type { Browser } from "../support/browser.ts";
import { advance } from "../support/clock.ts";
import { call, door, ORIGIN } from "../support/world.ts";

/** What an agent spends is confirmed by a person, by whatever door the agent comes. */

let home: Home;
let owner: Browser;
let projectId: number;
let agent: string;
beforeAll(async () => {
  home = await boostHome("facebook");
  owner = await signedIn({ email: newEmail(), project: home.project.name });
  projectId = Number(/projects\/(\d+)/.exec((await owner.go(CONSOLE_URL)).url)?.[1]);
  agent = await tokenOfTerminal();
});

const Granted = z.object({ access_token: z.string() });

/** By the device flow, with every permission. */
async function tokenOfTerminal(): Promise<string> {
  const send = async (path: string, body: Record<string, string>) =>
    (await door(new Request(`${ORIGIN}/oauth/${path}`, { method: "POST", body: new URLSearchParams(body) }))).json();
  const opened = z
    .object({ device_code: z.string(), verification_uri_complete: z.string() })
    .parse(await send("device", { client_id: "belfry-terminal" }));
  const page = await owner.send(formTo(await owner.go(opened.verification_uri_complete), "/device"));
  const choice = { task: "everything", expiry: "days", days: "30", date: "", project: String(projectId) };
  await owner.send(filled(formTo(page, "/allow"), choice));
  await advance(6_000);
  const grant = "urn:ietf:params:oauth:grant-type:device_code";
  const body = { grant_type: grant, device_code: opened.device_code, client_id: "belfry-terminal" };
  return Granted.parse(await send("token", body)).access_token;
}

const create = (token: string, more: object = {}) =>
  call("POST", "/boost-campaigns/create-campaign", { token, body: { ...wanted(home), ...more } });

const Refused = z.object({ code: z.literal("confirmation_needed"), message: z.string() });
const addressIn = (body: unknown): string => /http\S+spending\/\d+/.exec(Refused.parse(body).message)?.[0] ?? "";

async function answer(url: string, way: "confirm" | "deny"): Promise<void> {
  await owner.send(formTo(await owner.go(url), `/${way}`));
}

const campaigns = async (): Promise<number> => {
  const { body } = await home.project.call("GET", "/boost-campaigns/get-campaigns");
  return z.object({ campaigns: z.object({ total: z.number() }) }).parse(body).campaigns.total;
};

describe("an agent's token at the API", () => {
  test("spends once, after a person has confirmed exactly these terms", async ({ expect }) => {
    const before = await campaigns();
    const refused = await create(agent, { budget: 21 });
    expect(refused.status).toBe(403);
    const url = addressIn(refused.body);
    expect(await create(agent, { budget: 21 })).toMatchObject({ status: 403 });
    await answer(url, "confirm");
    // Other terms are another request.
    expect(addressIn((await create(agent, { budget: 22 })).body)).not.toBe(url);
    const made = await Promise.all([create(agent, { budget: 21 }), create(agent, { budget: 21 })]);
    expect(made.map(({ status }) => status).toSorted()).toEqual([200, 403]);
    expect(await create(agent, { budget: 21 })).toMatchObject({ status: 403, body: { code: "confirmation_needed" } });
    expect(await campaigns()).toBe(before + 1);
  });

  test("spends nothing that a person denied", async ({ expect }) => {
    const before = await campaigns();
    await answer(addressIn((await create(agent, { budget: 23 })).body), "deny");
    const denied = await create(agent, { budget: 23 });
    expect(denied).toMatchObject({ status: 403, body: { message: "A person denied this, and nothing is spent." } });
    expect(await campaigns()).toBe(before);
  });

  test("changes a campaign once it is confirmed", async ({ expect }) => {
    const own = await create(home.project.token, { budget: 24 });
    const { id } = z.object({ campaigns: z.object({ id: z.number() }) }).parse(own.body).campaigns;
    const change = () => call("PUT", `/boost-campaigns/update-campaign/${id}`, { token: agent, body: { budget: 25 } });
    const refused = await change();
    expect(refused.status).toBe(403);
    await answer(addressIn(refused.body), "confirm");
    expect(await change()).toMatchObject({ status: 200, body: { campaigns: { budget: 25 } } });
  });

  test("shares a confirmation with the tools: it is used at one of the doors", async ({ expect }) => {
    const before = await campaigns();
    const { use } = await connectAgent(agent);
    const terms = { post_id: home.postId, ad_account_id: home.account.id, days: 3, countries: ["DE"], name: "Tools" };
    const asked = await use("boost_post", { ...terms, budget: 26 });
    const url = /http\S+spending\/\d+/.exec(asked.text)?.[0] ?? "";
    const body = {
      social_post_id: home.postId,
      duration_type: "lifetime_budget",
      budget: 26,
      duration: 3,
      ad_account_id: home.account.id,
      countries: ["DE"],
      name: "Tools",
    };
    const direct = () => call("POST", "/boost-campaigns/create-campaign", { token: agent, body });
    expect(addressIn((await direct()).body)).toBe(url);
    await answer(url, "confirm");
    expect(await use("boost_post", { ...terms, budget: 26 })).toMatchObject({ isError: false });
    expect((await direct()).status).toBe(403);
    expect(await campaigns()).toBe(before + 1);
  });

  test("does everything else as before, and a token of the operator spends by itself", async ({ expect }) => {
    const estimate = await call("GET", `/boost-campaigns/get-ad-accounts?channel_id=${home.channel.channel_id}`, {
      token: agent,
    });
    expect(estimate.status).toBe(200);
    expect((await create(home.project.token, { budget: 27 })).status).toBe(200);
  });

  test("of the console has it where its owner chose so", async ({ expect }) => {
    const form = formTo(await owner.go(`${CONSOLE_URL}/projects/${projectId}/tokens/new`), "/tokens");
    const fields = { name: "Agent", task: "boosts", expiry: "never", days: "", date: "", money: "person" };
    const shown = await owner.send(filled(form, fields));
    const token = /blf_[0-9A-Za-z]{42}/.exec(shown.html)?.[0] ?? "";
    expect((await create(token, { budget: 28 })).status).toBe(403);
    const list = await owner.go(`${CONSOLE_URL}/projects/${projectId}/tokens`);
    expect(list.html.match(/A person confirms spending/g)?.length).toBe(2);
  });
});

/** Operations of campaigns that write, and cost nothing. */
const FREE: Readonly<Record<string, string>> = {
  getInstagramPostEligibility: "reads",
  getReachEstimate: "reads",
  validateBudget: "reads",
  deleteCampaign: "ends what is spent",
};

test("every operation of campaigns that writes is paid for, or free with a reason", ({ expect }) => {
  const writes = OPERATIONS.flatMap(({ id, tag, method }) =>
    tag === "Boost campaigns" && method !== "get" ? [id] : [],
  );
  expect(writes.toSorted()).toEqual([...PAID_OPERATIONS, ...Object.keys(FREE)].toSorted());
});

test("in the console, campaigns need the recent sign-in that confirmations need", async ({ expect }) => {
  const paths = ["/projects/:project/campaigns", "/projects/:project/campaigns/:campaign"];
  const spends = CONSOLE.filter((entry) => entry.kind === "action" && paths.includes(entry.path));
  expect(spends.map(({ needsRecentSignIn }) => needsRecentSignIn)).toEqual([true, true]);
  await advance(11 * 60_000);
  const { url } = await owner.go(`${CONSOLE_URL}/projects/${projectId}/campaigns/new`);
  expect(url).toContain("/console/sign-in?to=");
});
