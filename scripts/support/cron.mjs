const MINUTE_MS = 60_000;

/** Runs the service's cron once, as Cloudflare would: wrangler has an address for that. Throws when it failed. */
export async function fireCron(origin) {
  const response = await fetch(`${origin}/cdn-cgi/local/scheduled?cron=*+*+*+*+*`, {
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The cron answered ${response.status}: ${text.slice(0, 500)}`);
}

/** Fires the cron now and at the start of every minute, until the answered function is called. */
export function startCron(origin, onError) {
  let timer;
  let isStopped = false;
  const fire = () => {
    fireCron(origin).catch((error) => isStopped || onError(error));
    timer = setTimeout(fire, MINUTE_MS - (Date.now() % MINUTE_MS));
  };
  fire();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
