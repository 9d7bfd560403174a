/** A shell line decided as the product decides the call that carries it: the real readers, a shipped pack. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readCallEffects } from '#adapters/sql/effect-reader.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
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

const policies = new Map<ShellPack, CompiledPolicy>();

function policyOf(pack: ShellPack): CompiledPolicy {
  const known = policies.get(pack);
  if (known) return known;
  const text = readFileSync(join(process.cwd(), 'policies', `${pack}.yaml`), 'utf8');
  const policy = compilePolicy(parsePack(parse(text), pack));
  policies.set(pack, policy);
  return policy;
}

/** The call with which a line reaches the gateway. */
export const callOfLine = (line: string): ToolCall => ({
  protocol: 'shell',
  tool: 'shell.run',
  target: '',
  capability: 'execute',
  parameters: { command: line },
});

export const decideCall = async (call: ToolCall, pack: ShellPack): Promise<DecidedLine> => {
  const effects = await readCallEffects(call);
  return { decision: decideEffects(policyOf(pack), call, effects), effects };
};

export const decideLine = (line: string, pack: ShellPack = 'pr-writer'): Promise<DecidedLine> =>
  decideCall(callOfLine(line), pack);
