/**
 * The environment of a command: what programs need to run, by an allowlist. Everything else, secrets above all, stays behind.
 * Nothing may page, prompt or wait for a person.
 */
export function commandEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const passed = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isPassed(name) ? [[name, value] as const] : [],
  );
  return { PATH: DEFAULT_PATH, ...Object.fromEntries(passed), ...FIXED };
}

const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

const PASSED: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "TMPDIR",
  "LANG",
  "LANGUAGE",
  "TZ",
  "CI",
  "NO_COLOR",
]);

function isPassed(name: string): boolean {
  return PASSED.has(name) || /^LC_[A-Z]+$/.test(name);
}

const FIXED = {
  TERM: "dumb",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  EDITOR: "true",
  DEBIAN_FRONTEND: "noninteractive",
} as const;
