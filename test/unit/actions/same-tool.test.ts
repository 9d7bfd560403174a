/** The check that a call today reaches the same tool as when its approval was requested. */
import { toolDifference } from '#core/actions/placement.ts';

const asked = { tool: 'create_issue', upstream: 'forge', upstream_tool: 'issue', definition: 'd1' };
const now = { upstream: 'forge', upstream_tool: 'issue', definition: 'd1' };

test.each([
  ['the same', asked, now],
  ['the same, with the name that policies know it by', asked, { ...now, tool: 'create_issue' }],
  ['a service, which has no definitions', { tool: 'GET', upstream: 'api' }, { upstream: 'api' }],
  ['a call that goes nowhere', { tool: 'ls' }, undefined],
])('[approval.execute-asks-again] %s is not a difference', (_what, then, placed) => {
  expect(toolDifference(then, placed)).toBeUndefined();
});

test.each([
  ['another server', { ...now, upstream: 'other' }, 'place'],
  ['another tool there', { ...now, upstream_tool: 'delete' }, 'place'],
  ['another name for policies', { ...now, tool: 'delete_issue' }, 'place'],
  ['no server', undefined, 'place'],
  ['another definition', { ...now, definition: 'd2' }, 'definition'],
  ['a server that gives no definition any more', { upstream: 'forge', upstream_tool: 'issue' }, 'definition'],
])('[approval.execute-asks-again] %s is one', (_what, placed, difference) => {
  expect(toolDifference(asked, placed)).toBe(difference);
});
