/** Paths covered by guards, and policies that allow every call except the guarded ones. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import { shippedPacks } from '#core/policy/rules/pack.ts';
import { shippedPack } from '../support/decide-line.ts';

export const packs = new Map(shippedPacks.map((name) => [name as string, shippedPack(name)]));

export const mcp = (parameters: Record<string, unknown>, tool = 'read_file', target = ''): ToolCall => ({
  protocol: 'mcp',
  tool,
  target,
  capability: 'read',
  parameters,
});
