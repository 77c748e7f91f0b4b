const POLL_MS = 500;

/**
 * Calls `gone` once when npm, or the shell through which npm started this process, has died. Only under npm:
 * a command that was started by hand may outlive its shell.
 * @param {() => void} gone
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
