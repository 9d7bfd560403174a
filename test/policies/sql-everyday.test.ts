/** Everyday queries under pack sql-explorer, compared with what it decided of them before: being strict must not cost them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { sqlGrammar } from '#adapters/sql/grammar.ts';
import type { Decision } from '#core/contracts/envelope.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { sqlEffects } from '#core/effects/sql.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { parsePack } from '#core/policy/rules/pack.ts';

interface Query {
  readonly sql: string;
  readonly before: Decision;
}

const read = (file: string): unknown => parse(readFileSync(join(process.cwd(), file), 'utf8'));
const queries = read('test/corpora/sql-everyday.yaml') as Query[];
const file = 'policies/sql-explorer.yaml';
const policy = compilePolicy(parsePack(read(file), file));

const share = (decided: readonly Decision[]): number =>
  (100 * decided.filter((decision) => decision === 'allow').length) / decided.length;

test('[pack.sql-everyday] the share that is allowed stays within three points', async () => {
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
