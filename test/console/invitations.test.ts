import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import type { Role } from "../../src/people/roles.ts";
import type { Browser, Page } from "../support/browser.ts";
import { advance } from "../support/clock.ts";
import {
  CONSOLE_URL,
  formTo,
  invite,
  newEmail,
  type Owned,
  owned,
  post,
  proofOf,
  signedIn,
} from "./console-browser.ts";

const DAY = 86_400_000;

const proof = async (browser: Browser) => proofOf(await browser.go(`${CONSOLE_URL}/account`));

/** Sends the form of the invitation, also where its page does not offer it. */
async function accept(browser: Browser, link: string): Promise<Page> {
  return post(browser, link, { form: await proof(browser) });
}

/** The roles of the project's members by e-mail address. */
async function rolesIn({ id }: Owned): Promise<Readonly<Record<string, string>>> {
  const { results } = await env.DB.prepare(
    "SELECT email, role FROM memberships JOIN people ON people.id = person_id WHERE project_id = ?",
  )
    .bind(id)
    .all<{ email: string; role: string }>();
  return Object.fromEntries(results.map(({ email, role }) => [email, role]));
}

async function personId(email: string): Promise<number> {
  return (await env.DB.prepare("SELECT id FROM people WHERE email = ?").bind(email).first<number>("id")) ?? 0;
}

describe("an invitation", () => {
  test("by link makes the first person who accepts it a member, once", async ({ expect }) => {
    const owner = await owned();
    const link = await invite(owner, { role: "author" });
    const [first, second] = [newEmail(), newEmail()];
    const [one, two] = [await signedIn({ email: first }), await signedIn({ email: second })];
    const page = await one.go(`${CONSOLE_URL}${link}`);
    expect(page.html).toContain(`Join ${owner.project.name}`);
    expect((await one.send(formTo(page, link))).url).toBe(`${CONSOLE_URL}/projects/${owner.id}`);
    expect((await accept(two, link)).status).toBe(422);
    expect((await two.go(`${CONSOLE_URL}${link}`)).html).toContain("was used or has expired");
    expect(await rolesIn(owner)).toEqual({ [owner.email]: "owner", [first]: "author" });
  });

  test("by link is accepted by one of two people at the same moment", async ({ expect }) => {
    const owner = await owned();
    const link = await invite(owner, { role: "viewer" });
    const browsers = [await signedIn({ email: newEmail() }), await signedIn({ email: newEmail() })];
    const proofs = await Promise.all(browsers.map(proof));
    const answers = await Promise.all(browsers.map((browser, at) => post(browser, link, { form: proofs[at] ?? "" })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 422]);
    expect(Object.keys(await rolesIn(owner))).toHaveLength(2);
  });

  test("by e-mail is only for its address", async ({ expect }) => {
    const owner = await owned();
    const [invited, other] = [newEmail(), newEmail()];
    const link = await invite(owner, { email: invited.toUpperCase(), role: "editor" });
    const stranger = await signedIn({ email: other });
    const page = await stranger.go(`${CONSOLE_URL}${link}`);
    expect(page.html).toContain(`This invitation is for ${invited}`);
    expect(page.html).not.toContain("Accept the invitation");
    expect((await accept(stranger, link)).status).toBe(422);
    expect((await accept(await signedIn({ email: invited }), link)).status).toBe(303);
    expect(await rolesIn(owner)).toEqual({ [owner.email]: "owner", [invited]: "editor" });
  });

  test("expires after seven days", async ({ expect }) => {
    const owner = await owned();
    const link = await invite(owner, { role: "viewer" });
    const browser = await signedIn({ email: newEmail() });
    await advance(7 * DAY + 1000);
    expect((await accept(browser, link)).status).toBe(422);
    expect((await browser.go(`${CONSOLE_URL}${link}`)).html).toContain("was used or has expired");
    expect(await rolesIn(owner)).toEqual({ [owner.email]: "owner" });
  });

  test("does not work once it is revoked", async ({ expect }) => {
    const owner = await owned();
    const link = await invite(owner, { role: "viewer" });
    const list = await owner.browser.go(`${CONSOLE_URL}/projects/${owner.id}/members`);
    const left = await owner.browser.send(formTo(list, "/revoke"));
    expect(left.html).toContain("The invitation is revoked.");
    const browser = await signedIn({ email: newEmail() });
    expect((await accept(browser, link)).status).toBe(422);
    expect(await rolesIn(owner)).toEqual({ [owner.email]: "owner" });
  });

  test.for(["viewer", "owner"] as const)("to be %s leaves the role of a member as it is", async (role, { expect }) => {
    const owner = await owned();
    const editor = newEmail();
    const browser = await signedIn({ email: editor, project: owner.project.name, role: "editor" });
    for (const member of [owner.browser, browser]) {
      const link = await invite(owner, { role });
      expect((await accept(member, link)).status).toBe(303);
    }
    expect(await rolesIn(owner)).toEqual({ [owner.email]: "owner", [editor]: "editor" });
  });
});

describe("the last owner", () => {
  test("can neither leave nor be removed or demoted", async ({ expect }) => {
    const owner = await owned();
    await signedIn({ email: newEmail(), project: owner.project.name, role: "editor" });
    const own = `/projects/${owner.id}/members/${await personId(owner.email)}`;
    const form = await proof(owner.browser);
    const tries: readonly (readonly [string, Record<string, string>])[] = [
      [`/projects/${owner.id}/leave`, {}],
      [`${own}/remove`, {}],
      ...(["viewer", "author", "editor"] as const).map((role) => [`${own}/role`, { role }] as const),
    ];
    for (const [path, fields] of tries) {
      const answer = await post(owner.browser, path, { form, ...fields });
      expect([path, answer.status]).toEqual([path, 422]);
      expect(answer.html).toContain("A project needs an owner.");
    }
    expect((await rolesIn(owner))[owner.email]).toBe("owner");
  });

  type Act = (owner: Owned, self: number, other: number) => readonly [string, Record<string, string>];
  const ACTS: Readonly<Record<string, Act>> = {
    leave: ({ id }) => [`/projects/${id}/leave`, {}],
    "demote themselves": ({ id }, self) => [`/projects/${id}/members/${self}/role`, { role: "viewer" }],
    "demote each other": ({ id }, _, other) => [`/projects/${id}/members/${other}/role`, { role: "viewer" }],
    "remove each other": ({ id }, _, other) => [`/projects/${id}/members/${other}/remove`, {}],
  };

  test.for(Object.entries(ACTS))("stays where two owners %s at the same moment", async ([, act], { expect }) => {
    const owner = await owned();
    const email = newEmail();
    const second = await signedIn({ email, project: owner.project.name, role: "owner" });
    const [a, b] = [await personId(owner.email), await personId(email)];
    const forms = [await proof(owner.browser), await proof(second)];
    const requests = [
      [owner.browser, act(owner, a, b)],
      [second, act(owner, b, a)],
    ] as const;
    const answers = await Promise.all(
      requests.map(([browser, [path, fields]], at) => post(browser, path, { form: forms[at] ?? "", ...fields })),
    );
    // The second one is refused as the last owner, or is no longer an owner or member.
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses[0]).toBe(303);
    expect([403, 404, 422]).toContain(statuses[1]);
    expect(Object.values(await rolesIn(owner)).filter((role: Role | string) => role === "owner")).toHaveLength(1);
  });
});
