/** What tests of effect limits share: calls of each protocol, and a table of what each limit says of them. */
import { type SqlGrammar, sqlGrammar } from '#adapters/sql/grammar.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { sandboxSchema } from '#core/contracts/sandbox.ts';
import { gitEffects } from '#core/effects/git.ts';
import { httpEffects } from '#core/effects/http.ts';
import { checkEffectLimits, type EffectLimitBlock } from '#core/effects/limits/check.ts';
import { readEffects } from '#core/effects/read.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { sqlEffects } from '#core/effects/sql.ts';

let grammar: SqlGrammar;
beforeAll(async () => {
  grammar = await sqlGrammar();
});

export type Settings = Parameters<typeof sandboxSchema.parse>[0];

export const callOf = (
  protocol: string,
  tool: string,
  target: string,
  parameters: Record<string, unknown>,
): ToolCall => ({
  protocol,
  tool,
  target,
  capability: 'write',
  parameters,
});

function check(settings: Settings, call: ToolCall): EffectLimitBlock | undefined {
  const read = readEffects({ shell: shellEffects, sql: sqlEffects(grammar), http: httpEffects, git: gitEffects });
  const { parts } = read(call);
  return checkEffectLimits(sandboxSchema.parse(settings), parts.length > 0 ? parts : [call]);
}

export const sql = (text: string) => callOf('sql', 'sql.query', 'shop', { sql: text });
export const http = (url: string, method = 'GET') => callOf('http', 'http.request', url, { method });
export const shell = (command: string, cwd?: string) =>
  callOf('shell', 'shell.run', '', { command, ...(cwd && { cwd }) });
export const git = (tool: string, parameters: Record<string, unknown>, target = 'acme/web') =>
  callOf('git', `scm.${tool}`, target, parameters);

/** Rows: what is asked, and the limit it breaks. */
export type Row = readonly [ask: ToolCall, rule: string | undefined];
export const table = (settings: Settings, rows: readonly Row[]): void => {
  for (const [call, rule] of rows) {
    const block = check(settings, call);
    expect([call, block?.matched_rule]).toEqual([call, rule === undefined ? undefined : `sandbox:${rule}`]);
    if (block) expect(block).toMatchObject({ decision: 'block', reason: expect.stringMatching(/\.$/) });
  }
};
