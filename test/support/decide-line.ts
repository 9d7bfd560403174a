/** Shipped packs, and calls evaluated under them as in the product, with the real readers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readCallEffects } from '#adapters/sql/effect-reader.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { ToolPack } from '#core/contracts/tool-policy.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import type { Effects } from '#core/effects/ports.ts';
import { type CompiledPolicy, compilePolicy } from '#core/policy/rules/compile.ts';
import type { PolicyDecision } from '#core/policy/rules/decide.ts';
import { parsePack } from '#core/policy/rules/pack.ts';

export type ShellPack = 'pr-writer' | 'readonly';

export interface DecidedLine {
  readonly decision: PolicyDecision;
  readonly effects: Effects;
}

export const shippedPack = (name: string): ToolPack =>
  parsePack(parse(readFileSync(join(process.cwd(), 'policies', `${name}.yaml`), 'utf8')), name);

const policies = new Map<string, CompiledPolicy>();
/** Returns a shipped pack, compiled once. */
export function shippedPolicy(pack: string): CompiledPolicy {
  const policy = policies.get(pack) ?? compilePolicy(shippedPack(pack));
  policies.set(pack, policy);
  return policy;
}

/** Returns the call that carries a line to the gateway. */
export const callOfLine = (line: string) =>
  ({ protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: { command: line } }) as const;

export const decideCall = async (call: ToolCall, pack: string): Promise<DecidedLine> => {
  const effects = await readCallEffects(call);
  return { decision: decideEffects(shippedPolicy(pack), call, effects), effects };
};

export const decideLine = (line: string, pack = 'pr-writer'): Promise<DecidedLine> =>
  decideCall(callOfLine(line), pack);
