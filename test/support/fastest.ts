/** How many milliseconds it takes, as the fastest of three runs tells: on a busy machine any one of them may be interrupted. */
export function fastest(run: () => void): number {
  const once = () => {
    const begun = performance.now();
    run();
    return performance.now() - begun;
  };
  return Math.min(once(), once(), once());
}
