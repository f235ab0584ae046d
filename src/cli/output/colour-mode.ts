/** What `--color` takes. */
export const COLOUR_CHOICES = ["auto", "always", "never"] as const;
export type ColourChoice = (typeof COLOUR_CHOICES)[number];

/** Whether a stream gets colours: the flag, then FORCE_COLOR, then NO_COLOR, then whether it is a terminal. */
export function isColoured(
  choice: ColourChoice,
  { env, isTerminal }: { readonly env: Readonly<Record<string, string | undefined>>; readonly isTerminal: boolean },
): boolean {
  if (choice !== "auto") return choice === "always";
  const force = env["FORCE_COLOR"];
  if (force !== undefined) return force !== "0" && force !== "false";
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  return isTerminal && env["TERM"] !== "dumb";
}
