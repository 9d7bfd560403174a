/** Results of the console's search. */
import { type Entry, matching } from '../../../console/frame/entries.ts';

const entries: readonly Entry[] = [
  { kind: 'Page', page: 'approvals', name: 'Approvals' },
  { kind: 'Page', page: 'budgets', name: 'Budgets' },
  { kind: 'Approval', page: 'approvals', id: '1', name: 'shell.run', more: 'make release' },
  { kind: 'Session', page: 'sessions', id: 's', name: 'release-42' },
];
const namesOf = (words: string) => matching(entries, words).map(({ name }) => name);

test.each([
  ['', ['Approvals', 'Budgets', 'shell.run', 'release-42']],
  ['BUDG', ['Budgets']],
  ['release', ['release-42', 'shell.run']],
  ['approval make', ['shell.run']],
  ['make budgets', []],
])(
  '[console.palette] the words "%s" find every entry that contains all of them, with names that start with them first',
  (words, found) => {
    expect(namesOf(words)).toEqual(found);
  },
);

test('[console.palette] at most thirty entries are shown', () => {
  const many = Array.from({ length: 50 }, (_, at): Entry => ({ kind: 'Session', page: 'sessions', name: `s-${at}` }));
  expect(matching(many, 's')).toHaveLength(30);
});
