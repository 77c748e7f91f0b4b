import { chromium } from "playwright-core";

/**
 * A person who connects an account: through the service's page, and the real pages of the server where the
 * account signs in. The service's public address does not resolve here, so the way back is opened by hand.
 */
export async function signIn({ connectUrl, publicOrigin, origin, server, handle, password }) {
  const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(45_000);
    let back = null;
    page.on("request", (request) => {
      if (request.isNavigationRequest() && request.url().startsWith(`${publicOrigin}/connect/callback/`))
        back = request.url();
    });
    await page.goto(connectUrl);
    await page.check('input[name="platform"][value="bluesky"]');
    await page.click("button.first");
    await page.fill('input[name="answer"]', server);
    await page.click("button.first");
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
    for (let waited = 0; back === null && waited < 45_000; waited += 100) await page.waitForTimeout(100);
    if (back === null) throw new Error(`The server did not lead back: ${page.url()}`);
    const last = await context.newPage();
    await last.goto(back.replace(publicOrigin, origin));
    return { url: last.url(), title: await last.title(), text: (await last.innerText("body")).slice(0, 400) };
  } finally {
    await browser.close();
  }
}
