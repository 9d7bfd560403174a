/** Rules in force as people see them. */
import { groupsOf, guardsFound, guardsOf, matchingGroups, shortPattern } from '../../../console/policies/rule-list.ts';
import type { Loose } from '../../support/loose.ts';

const rules: Loose[] = [
  { protocol: 'shell', tool: 'shell.rm', decision: 'block', reason: 'It deletes.' },
  { protocol: 'shell', tool: 'shell.dd', decision: 'block', reason: 'It deletes.' },
  { protocol: 'git', tool: 'scm.get_*', decision: 'allow' },
  { name: 'merges', protocol: 'git', tool: 'scm.merge', decision: 'review', reason: 'A person merges.' },
];
const digestOf = ({ tool }: Loose) => String(tool);
const counts = { 'shell.dd': 2, 'scm.get_*': 1, 'guard:secret-files': 3 };
const places = { rules: ['a:1', 'a:2', 'a:3', 'a:4'], guards: { own: 'a:9' } };
const groups = groupsOf(rules as never, { counts, digestOf, places });
const all = { text: '', decision: '', unused: false };
const titles = (search: Loose) => matchingGroups(groups, { ...all, ...search }).map(({ title }) => title);

describe('[console.policies] the list of rules', () => {
  test('groups rules with the same reason and decision, and counts the calls they decided', () => {
    expect(groups.map(({ title, decided, rules: own }) => [title, decided, own.map(({ number }) => number)])).toEqual([
      ['It deletes.', 2, [1, 2]],
      ['git scm.get_*', 1, [3]],
      ['merges', 0, [4]],
    ]);
    expect(groups[2]).toMatchObject({ reason: 'A person merges.', rules: [{ place: 'a:4' }] });
  });

  test('omits unknown decisions', () => {
    const [first] = groupsOf(rules as never, { counts: undefined, digestOf, places: undefined });
    expect(first).not.toHaveProperty('decided');
    expect(first?.rules[0]).toEqual({ rule: rules[0], number: 1 });
  });

  test.each<[Loose, readonly string[]]>([
    [{}, ['It deletes.', 'git scm.get_*', 'merges']],
    [{ text: 'DELETES' }, ['It deletes.']],
    [{ text: 'scm person' }, ['merges']],
    [{ text: 'a:3' }, ['git scm.get_*']],
    [{ text: 'nothing like it' }, []],
    [{ decision: 'allow' }, ['git scm.get_*']],
    [{ unused: true }, ['It deletes.', 'merges']],
  ])('is searched: %j', (search, expected) => {
    expect(titles(search)).toEqual(expected);
  });

  test('a search shows only the matching rules in a group', () => {
    expect(matchingGroups(groups, { ...all, text: 'shell.dd' })).toMatchObject([
      { rules: [{ number: 2 }], decided: 2 },
    ]);
    expect(matchingGroups(groups, { ...all, unused: true })[0]).toMatchObject({ rules: [{ number: 1 }], decided: 0 });
  });

  test('lists each guard once, with its reasons', () => {
    const entries: Loose[] = ['secret-files', { name: 'own', reason: 'A.' }, { name: 'own', reason: 'B.' }];
    const guards = guardsOf(entries as never, { counts, places }, () => ['It names a secret.']);
    expect(guards).toEqual([
      { name: 'secret-files', reasons: ['It names a secret.'], decided: 3 },
      { name: 'own', reasons: ['A.', 'B.'], place: 'a:9', decided: 0 },
    ]);
    expect(guardsFound(guards, { ...all, decision: 'allow' })).toEqual([]);
    expect(guardsFound(guards, { ...all, text: 'names' }).map(({ name }) => name)).toEqual(['secret-files']);
    expect(guardsFound(guards, { ...all, unused: true }).map(({ name }) => name)).toEqual(['own']);
  });

  test('shortens patterns', () => {
    expect(shortPattern('scm.get_*')).toBe('scm.get_*');
    expect(
      shortPattern(
        `shell.{${['rm', 'rmdir', 'unlink', 'shred', 'dd', 'truncate', 'wipefs', 'fdisk', 'parted'].join(',')}}`,
      ),
    ).toBe('shell.{rm,rmdir,…}');
    expect(shortPattern('x'.repeat(100))).toHaveLength(60);
  });
});
