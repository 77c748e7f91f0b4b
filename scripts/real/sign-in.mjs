import { chromium } from "playwright-core";

/**
 * A person who connects an account: through the service's page, and the real pages of the server where the
 * account signs in. The service's public address does not resolve here, so the way back is opened by hand.
 */
export function signIn({ connectUrl, publicOrigin, origin, server, handle, password }) {
  return withPage(async (page, context) => {
    const back = returnOf(page, publicOrigin);
    await page.goto(connectUrl);
    await page.check('input[name="platform"][value="bluesky"]');
    await page.click("button.first");
    await page.fill('input[name="answer"]', server);
    await page.click("button.first");
    await allowApp(page, { server, handle, password });
    const last = await context.newPage();
    await last.goto((await back).replace(publicOrigin, origin));
    return { url: last.url(), title: await last.title(), text: (await last.innerText("body")).slice(0, 400) };
  });
}

/** The same on the server's pages alone; returns the address that they lead back to. */
export function authorize({ url, publicOrigin, server, handle, password }) {
  return withPage(async (page) => {
    const back = returnOf(page, publicOrigin);
    await page.goto(url);
    await allowApp(page, { server, handle, password });
    return { url: await back };
  });
}

/** One browser for all of them; each person has cookies of their own. */
let browser = null;

async function withPage(act) {
  const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
  browser ??= chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const context = await (await browser).newContext();
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(45_000);
    return await act(page, context);
  } finally {
    await context.close();
  }
}

function returnOf(page, publicOrigin) {
  const callback = `${publicOrigin}/connect/callback/`;
  const isReturn = (request) => request.isNavigationRequest() && request.url().startsWith(callback);
  const back = page.waitForRequest(isReturn, { timeout: 90_000 }).then((request) => request.url());
  // If a step before it fails, nothing waits for it.
  back.catch(() => undefined);
  return back;
}

async function allowApp(page, { server, handle, password }) {
  await page.waitForURL((url) => url.href.startsWith(server));
  const username = page.locator('input[name="username"]');
  const choice = page.getByRole("button", { name: "Sign in", exact: true });
  await username.or(choice).first().waitFor();
  if (!(await username.isVisible())) await choice.click();
  await username.waitFor();
  if (await username.isEditable()) await username.fill(handle);
  await page.fill('input[name="password"]', password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  const authorize = page.getByRole("button", { name: "Authorize", exact: true });
  await authorize.waitFor();
  await authorize.click().catch(() => undefined);
}
