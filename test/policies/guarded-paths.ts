/** Paths that guards know, and policies with every call allowed but for the guards. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { ToolPack } from '#core/contracts/tool-policy.ts';
import { parsePack, shippedPacks } from '#core/policy/rules/pack.ts';

export const packs = new Map(
  shippedPacks.map((name): [string, ToolPack] => [
    name,
    parsePack(parse(readFileSync(join(process.cwd(), 'policies', `${name}.yaml`), 'utf8')), name),
  ]),
);

export const mcp = (parameters: Record<string, unknown>, tool = 'read_file', target = ''): ToolCall => ({
  ...{ protocol: 'mcp', tool, target, capability: 'read', parameters },
});
