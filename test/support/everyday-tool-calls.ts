/** The corpus of harmless tool calls (test/corpora/tool-calls-everyday.yaml), evaluated under a pack. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { lazyEffects } from '#adapters/sql/lazy-effects.ts';
import { mcpUpstream } from '#core/contracts/config/upstreams.ts';
import type { Decision } from '#core/contracts/envelope.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { actionOf } from '#core/mcp/tools/action.ts';
import { shippedPolicy } from './decide-line.ts';

export const corpusPacks = ['pr-writer', 'readonly'] as const;
type CorpusPack = (typeof corpusPacks)[number];

/** One call as its client sends it, and its decisions when the corpus was recorded. */
export interface EverydayCall {
  readonly server: string;
  readonly tool: string;
  readonly hint?: 'read' | 'write' | 'destructive';
  readonly arguments: JsonObject;
  readonly was: Readonly<Record<CorpusPack, Decision>>;
}

export const everydayCalls = (): EverydayCall[] =>
  parse(readFileSync(join(process.cwd(), 'test/corpora/tool-calls-everyday.yaml'), 'utf8'));

const annotations = {
  read: { readOnlyHint: true },
  write: { readOnlyHint: false, destructiveHint: false },
  destructive: { readOnlyHint: false, destructiveHint: true },
} as const;

/**
 * Returns a function that evaluates a call as the MCP gateway does, before sandbox, tasks and risk: action, effects,
 * policy.
 */
export function everydayDecider(
  pack: CorpusPack | 'coding-agent',
): (call: Omit<EverydayCall, 'was'>) => Promise<Decision> {
  const policy = shippedPolicy(pack);
  return async ({ server, tool, hint, arguments: args }) => {
    const entry = mcpUpstream.parse({ name: server, url: 'https://server.example/mcp' });
    const definition = { name: tool, ...(hint && { annotations: annotations[hint] }) };
    const request = await actionOf({ entry, definition, own: tool, exposed: tool }, tool, args);
    const call = { ...request, parameters: request.parameters ?? {} };
    return decideEffects(policy, call, await lazyEffects(call)).decision;
  };
}
