const POLL_MS = 500;

/**
 * Calls `gone` once when npm, or the shell that it started us through, has died without telling us. Only under npm: a
 * command started by hand may well outlive its shell.
 */
export function watchParent(gone) {
  if (!process.env.npm_lifecycle_event) return;
  const { ppid } = process;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    gone();
  }, POLL_MS);
  timer.unref();
}
