/**
 * Everyday queries under pack sql-explorer, compared with earlier decisions on them: strictness must not affect them.
 */

import * as z from 'zod';
import { sqlGrammar } from '#adapters/sql/grammar.ts';
import type { Decision } from '#core/contracts/envelope.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { sqlEffects } from '#core/effects/sql.ts';
import { shippedPolicy } from '../support/decide-line.ts';
import { readCases, text } from '../support/yaml.ts';

const queries = readCases(
  'test/corpora/sql-everyday.yaml',
  z.array(z.object({ sql: text, before: z.enum(['allow', 'review', 'block']) })),
);
const policy = shippedPolicy('sql-explorer');

const share = (decided: readonly Decision[]): number =>
  (100 * decided.filter((decision) => decision === 'allow').length) / decided.length;

test('[pack.everyday] the share of allowed queries drops by at most three percentage points', async () => {
  expect(queries.length).toBeGreaterThanOrEqual(150);
  const grammar = await sqlGrammar();
  const now = queries.map(({ sql }) => {
    const call = { protocol: 'sql', tool: 'sql.query', target: 'shop', capability: 'read', parameters: { sql } };
    return decideEffects(policy, call, sqlEffects(grammar)(call)).decision;
  });
  const lost = queries.filter(({ before }, i) => before === 'allow' && now[i] !== 'allow').map(({ sql }) => sql);
  const shares = { before: share(queries.map(({ before }) => before)), now: share(now) };
  console.info(
    `everyday queries allowed: ${shares.before.toFixed(1)} % before, ${shares.now.toFixed(1)} % now; lost:\n${lost.join('\n')}`,
  );
  expect(shares.now).toBeGreaterThanOrEqual(shares.before - 3);
  expect(now).not.toContain('block');
});
