import { describe, expect, test } from "vitest";
import { formatOrigin, formatToolExecutorRef, rawToolName } from "../../../src/core/tool/owner.ts";

describe("formatOrigin", () => {
  test.each([
    [{ kind: "core" }, "core"],
    [{ kind: "custom" }, "custom"],
    [{ kind: "plugin", pluginId: "acme" }, "plugin:acme"],
    [{ kind: "channel", channelId: "chat" }, "channel:chat"],
    [{ kind: "channel", channelId: "chat", pluginId: "acme" }, "channel:chat"],
    [{ kind: "mcp", serverId: "github" }, "mcp:github"],
  ] as const)("formatOrigin of %o is %s", (owner, origin) => {
    expect(formatOrigin(owner)).toBe(origin);
  });
});

describe("formatToolExecutorRef", () => {
  test.each([
    [{ kind: "core", executorId: "read" }, "core:read"],
    [{ kind: "custom", toolName: "weather" }, "custom:weather"],
    [{ kind: "plugin", pluginId: "demo", toolName: "plugin_tool" }, "plugin:demo:plugin_tool"],
    [{ kind: "channel", channelId: "chat", actionId: "send" }, "channel:chat:send"],
    [{ kind: "mcp", serverId: "github", toolName: "create_issue" }, "mcp:github:create_issue"],
  ] as const)("formatToolExecutorRef of %o is %s", (executor, text) => {
    expect(formatToolExecutorRef(executor)).toBe(text);
  });
});

describe("rawToolName", () => {
  const name = "github__create_issue";

  test("NAM-02 rawToolName is what the tool is called at its origin", () => {
    expect(rawToolName({ name, executor: { kind: "mcp", serverId: "github", toolName: "create.issue" } })).toBe(
      "create.issue",
    );
    expect(rawToolName({ name, executor: { kind: "plugin", pluginId: "acme", toolName: "deploy" } })).toBe("deploy");
    expect(rawToolName({ name, executor: { kind: "channel", channelId: "chat", actionId: "send" } })).toBe("send");
  });

  test("rawToolName is the name where the origin has no other", () => {
    expect(rawToolName({ name })).toBe(name);
    expect(rawToolName({ name, executor: undefined })).toBe(name);
    expect(rawToolName({ name, executor: { kind: "core", executorId: "other" } })).toBe(name);
    expect(rawToolName({ name, executor: { kind: "custom", toolName: "other" } })).toBe(name);
  });
});
