/** A rule's conditions in words. */
import { conditionsOf } from '../../../console/policies/conditions.ts';

const rule = { protocol: 'mcp', tool: '*', decision: 'block' as const };

test('[console.policies] each condition of a rule is listed on its own line, and a rule without conditions has none', () => {
  const predicates = { force: { equals: true }, to: { glob: ['*@a.example'], absent: false } };
  expect(conditionsOf({ ...rule, capability: 'delete', upstream: 'notes', arguments: predicates })).toEqual([
    ...['upstream: notes', 'capability: delete', 'force equals: true', 'to glob: ["*@a.example"]'],
    'to absent: false',
  ]);
  expect(conditionsOf(rule)).toEqual([]);
});
