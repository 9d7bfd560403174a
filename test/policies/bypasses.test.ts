/**
 * The table of bypasses compared with the packs: each line is read by its grammar, and the most severe of its effects
 * counts.
 */
import type { ToolCall } from '#core/contracts/envelope.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { callOfLine, shippedPolicy } from '../support/decide-line.ts';
import { type Bypass, bypasses } from './bypasses.ts';

const callOf = ({ line, call }: Bypass): ToolCall => ({
  ...callOfLine(line ?? ''),
  ...(line === undefined && { parameters: {} }),
  ...call,
});

const titled = bypasses.map((row) => ({ ...row, shown: JSON.stringify(row.line ?? row.call) }));

describe('[effects.bypasses] bypasses', () => {
  test.each(titled)('$pack: $shown → $becomes ($why)', (row) => {
    const call = callOf(row);
    const effects = shellEffects(call);
    const { decision, matched_rule, reason } = decideEffects(shippedPolicy(row.pack), call, effects);
    expect({ decision, matched_rule, reason, effects }).toMatchObject({ decision: row.becomes });
  });

  test.each(titled.filter(({ line }) => line !== undefined))(
    "[action.judges] $pack: $shown gets the same decision as a shell line and as a command line passed to a server's tool",
    ({ line, pack, becomes }) => {
      const call = { protocol: 'mcp', tool: 'run_command', target: '', capability: 'execute' as const };
      const carried = { ...call, parameters: { command: line } };
      expect(decideEffects(shippedPolicy(pack), carried, shellEffects(carried)).decision).toBe(becomes);
    },
  );

  test('[effects.bypasses] the table has enough harmless and harmful rows, without duplicates', () => {
    const harmless = bypasses.filter((row) => row.becomes === 'allow');
    expect(harmless.length).toBeGreaterThanOrEqual(25);
    expect(bypasses.length - harmless.length).toBeGreaterThanOrEqual(90);
    expect(new Set(titled.map((row) => `${row.pack} ${row.shown}`)).size).toBe(bypasses.length);
  });
});
