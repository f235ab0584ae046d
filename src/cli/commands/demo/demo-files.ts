/** The folder that the demo works in: a small project with things left to do, and the rules of its owner. */
export const DEMO_FILES: ReadonlyMap<string, string> = new Map([
  [
    "README.md",
    `# tidepool

Tells you when the tide is low enough to walk to the island.

## Install

TODO: say how to install it.

## Use

    tidepool heights.csv

TODO: show what it prints.
TODO: link the licence.
`,
  ],
  [
    "notes.md",
    `# Notes

- TODO: ask the harbour office for this year's table
- TODO: a warning an hour before the path floods
- the path is dry below 1.2 m
- TODO: rename heights.csv, nobody finds it
`,
  ],
  [
    "src/tide.js",
    `// TODO: read the height of the path from a file
export const PATH_HEIGHT = 1.2;

export function isDry(height) {
  return height < PATH_HEIGHT; // TODO: waves
}
`,
  ],
]);

/** Beside the project: what its owner lets an agent do. Read back from the folder, so that a denial can name its line. */
export const DEMO_POLICY_FILE = "demo.jsonc";

export const DEMO_POLICY = `{
  // Rules of this demo. The first one to forbid a call wins; nothing else can allow it again.
  "policy": [
    {
      "name": "demo",
      "deny": [
        // People deploy, agents do not.
        "deploy",
      ],
      // These would ask first. Nobody is here to answer, so they may run in this folder.
      "approve": ["edit", "exec"],
    },
  ],
}
`;
