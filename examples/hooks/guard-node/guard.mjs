#!/usr/bin/env node
// Denies commands that publish a package, unless a person makes the call. It is
// asked only about commands of package managers (see when in hook.json).
import { readFileSync } from "node:fs";

const publishes = /^(npm|pnpm|yarn( npm)?|cargo) publish\b|^twine upload\b|^gem push\b/;

const { tool } = JSON.parse(readFileSync(0, "utf8"));
const found = tool.effects.programs.find((p) => publishes.test(p.command));
if (found && tool.source !== "user_action") {
  const [program] = found.command.split(" ");
  console.log(
    JSON.stringify({
      decision: "deny",
      reason: `${program} would publish a package, which a person does`,
      message: "A call wanted to publish a package and was stopped.",
    }),
  );
}
