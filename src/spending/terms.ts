/** The code that the agent and the page of the console show for the same terms. */
export function codeOf(termsHash: string): string {
  const code = termsHash.slice(0, 8).toUpperCase();
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
