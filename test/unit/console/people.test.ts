/** The page of people who may approve: roles by key and account, which votes count, and the last vote. */
import { isFound, type People, votersOf } from '../../../console/people/voters.ts';

const person = (id: string, over: object = {}) => ({
  id,
  name: id,
  role: 'operator',
  tenants: [],
  teams: [],
  grants: [],
  accounts: [],
  ...over,
});
const key = (name: string, over: object = {}) => ({ id: name, name, role: 'operator', kind: 'human', ...over });
const shop = { tenant: 'shop', path: 'acme/web/shop/production' };

const votersIn = (
  { people = [], keys = [], rules = [], decided }: Partial<Record<'people' | 'keys' | 'rules' | 'decided', object[]>>,
  me: { tenant: string; path?: string } = shop,
) => votersOf({ identities: { people, keys, passkeys: { alice: 2 } }, rules, decided } as unknown as People, me);
const meansOf = (...given: Parameters<typeof votersIn>) =>
  votersIn(...given)[0]!.means.map(({ name, role }) => `${name} (${role})`);

test('[console.people] a person can vote with the role of each human key, but not with agents’ keys', () => {
  const keys = [
    key('laptop', { person: 'alice', role: 'admin' }),
    key('phone', { person: 'alice', role: 'viewer' }),
    key('bot', { kind: 'agent', owner: 'alice' }),
  ];
  const [alice] = votersIn({ people: [person('alice', { role: 'viewer' })], keys });
  expect(alice).toMatchObject({ role: 'admin', passkeys: 2 });
  expect(alice!.means.map(({ name }) => name)).toEqual(['key laptop', 'key phone']);
});

test('[console.people] people who may not approve are listed last and have no role', () => {
  const keys = [key('viewer', { person: 'amy', role: 'viewer' }), key('zoe', { person: 'zoe' })];
  expect(votersIn({ people: [person('amy'), person('ben')], keys }).map(({ id, role }) => [id, role])).toEqual([
    ['zoe', 'operator'],
    ['amy', undefined],
    ['ben', undefined],
  ]);
});

test.each<[string, object, string[]]>([
  ['the role of the person in a tenant of theirs', { tenants: ['shop'] }, ['Slack (operator)']],
  ['everywhere', { tenants: ['*'] }, ['Slack (operator)']],
  ['nothing in a tenant of others', { tenants: ['bank'] }, []],
  ['nothing without a key and a tenant', {}, []],
  ['a grant above the tenant', { grants: [{ path: 'acme/web', role: 'admin' }] }, ['Slack (admin)']],
  ['nothing by a grant beside it', { grants: [{ path: 'acme/we', role: 'admin' }] }, []],
  [
    'the higher of both',
    { role: 'viewer', tenants: ['shop'], grants: [{ path: 'acme', role: 'operator' }] },
    ['Slack (operator)'],
  ],
])('[console.people] an account’s access: %s', (_, over, means) => {
  expect(meansOf({ people: [person('ada', { accounts: ['slack'], ...over })] })).toEqual(means);
});

test('[console.people] a grant has no effect in a tenant outside the organization levels', () => {
  const grants = [{ path: 'acme', role: 'admin' }];
  expect(meansOf({ people: [person('ada', { accounts: ['github'], grants })] }, { tenant: 'shop' })).toEqual([]);
});

test('[console.people] lists the separation rules that restrict who counts and for which the person counts', () => {
  const rule = (name: string, requires: object, environments = [shop.path]) => ({ name, requires, environments });
  const rules = [
    rule('two', { approvals: 2, not_same_team: false }),
    rule('sre', { approvals: 1, from_teams: ['acme/sre'], not_same_team: false }),
    rule('admins', { approvals: 1, roles: ['admin'], not_same_team: false }),
    rule('others', { approvals: 1, not_same_team: true }),
    rule('elsewhere', { approvals: 1, from_teams: ['acme/sre'], not_same_team: false }, ['acme/web/bank/production']),
  ];
  const people = [person('sam', { teams: ['acme/sre'] }), person('tim', { teams: ['acme/web'] }), person('vic')];
  const keys = [key('sam', { person: 'sam' }), key('tim', { person: 'tim', role: 'admin' })];
  expect(votersIn({ people, keys, rules }).map(({ countsFor }) => countsFor)).toEqual([
    ['sre', 'others'],
    ['admins'],
    [],
  ]);
});

test('[console.people] the last vote is the latest among approvals, denials and single votes', () => {
  const decided = [
    { person: 'alice', approved_at: '2026-03-01T10:00:00Z', votes: [{ person: 'bob', at: '2026-03-01T11:00:00Z' }] },
    { person: 'alice', denied_at: '2026-03-01T12:00:00Z' },
    { reviewer: 'system', reason: 'timeout', denied_at: '2026-03-01T13:00:00Z' },
  ];
  const found = votersIn({ people: ['alice', 'bob', 'cy'].map((id) => person(id)), decided });
  expect(found.map(({ lastVote }) => lastVote)).toEqual(['2026-03-01T12:00:00Z', '2026-03-01T11:00:00Z', undefined]);
});

test.each([
  ['ALI', true],
  ['acme/web', true],
  ['laptop', true],
  ['bank', false],
])('[console.people] a search for %s finds the person: %s', (text, found) => {
  const [alice] = votersIn({
    people: [person('alice', { teams: ['acme/web'] })],
    keys: [key('laptop', { person: 'alice' })],
  });
  expect(isFound(alice!, text)).toBe(found);
});
