/** Who may vote on which request. */

import { adminPrincipal, keyIdOf } from '#core/configuration/identity/identities.ts';
import {
  assertMayVote,
  assertTenant,
  githubVoter,
  personByGithubLogin,
  personBySlackId,
  slackVoter,
} from '#core/configuration/identity/separation-of-duties.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { identitiesOf, key, principal } from './principals.ts';

const id = (value: string) => keyIdOf(sha256(value));
const identities = identitiesOf([
  key('agent', { owner: 'alice' }),
  key('orphan'),
  key('alice-laptop', { kind: 'human', person: 'alice' }),
  key('alice-phone', { kind: 'human', person: 'alice' }),
]);
const alice = principal('human', 'admin', { person: 'alice', key_id: id('alice-laptop') });
const bob = principal('human', 'operator', { person: 'bob', key_id: id('bob-laptop') });
const refusal = expect.objectContaining({ code: 'separation_of_duties' });

test.each(['agent', 'service'] as const)('[sod.own-request] a key with kind %s cannot vote', (kind) => {
  const voter = principal(kind, 'admin', { person: 'bob' });
  expect(() => assertMayVote(voter, { key_id: id('agent') }, identities)).toThrow(refusal);
});

test('[sod.own-request] a human key without a person cannot vote', () => {
  expect(() => assertMayVote(principal('human', 'admin'), { key_id: id('agent') }, identities)).toThrow(
    'names no person',
  );
});

test.each([
  ['with a key they own', { key_id: id('agent') }],
  ['with the very key', { key_id: id('alice-laptop') }],
  ['with a key they owned then', { key_id: 'withdrawn-since', key_owner: 'alice' }],
  ['with a key that is theirs now', { key_id: id('agent'), key_owner: 'bob' }],
])('[sod.own-request] a person cannot vote on a request made %s', (_how, request) => {
  expect(() => assertMayVote(alice, request, identities)).toThrow(refusal);
});

test('[sod.own-request] a different key of the same person counts as the same person', () => {
  expect(() => assertMayVote(alice, { key_id: id('alice-phone') }, identities)).toThrow(refusal);
});

test('a different person can vote, even on a request made with a key that has no owner', () => {
  expect(() => assertMayVote(bob, { key_id: id('agent'), key_owner: 'alice' }, identities)).not.toThrow();
  expect(() => assertMayVote(alice, { key_id: id('orphan') }, identities)).not.toThrow();
});

test('the admin token votes as one person and cannot vote on its own requests', () => {
  const admin = adminPrincipal('default');
  expect(() => assertMayVote(admin, { key_id: id('agent') }, identities)).not.toThrow();
  expect(() => assertMayVote(admin, { key_id: 'admin-token' }, identities)).toThrow(refusal);
  expect(() => assertMayVote(bob, { key_id: 'admin-token', key_owner: 'platform-admin' }, identities)).not.toThrow();
});

test("[auth.tenant-isolation] another tenant's things are not found", () => {
  expect(() => assertTenant(bob, 'default', 'approval')).not.toThrow();
  expect(() => assertTenant(adminPrincipal('default'), 'other', 'approval')).not.toThrow();
  expect(() => assertTenant(bob, 'other', 'approval')).toThrow(expect.objectContaining({ code: 'not_found' }));
});

const tenantsWithKeysOf = (people: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(people).map(([id, persons]) => ({
    id,
    api_keys: persons.map((person) => ({
      person,
      role: 'operator',
      kind: 'human',
      priority: 'normal',
      platform: false,
    })),
  })) as unknown as Configuration['tenants'];

describe('Slack', () => {
  const snapshot = {
    configuration: {
      organizations: [],
      tenants: tenantsWithKeysOf({ default: ['carol'], other: ['vera'] }),
      people: [
        { id: 'carol', role: 'operator' as const, tenants: [], slack_id: 'T01/U03' },
        { id: 'dave', role: 'operator' as const, tenants: [], slack_id: 'T01/U04' },
        { id: 'alice', name: 'Alice', role: 'admin' as const, tenants: ['default'], slack_id: 'T01/U01' },
        { id: 'vera', role: 'viewer' as const, tenants: ['*'], slack_id: 'T01/U02' },
      ],
    },
  };

  test('[sod.own-request] an account that is mapped to no person cannot vote', () => {
    for (const [team, user] of [
      ['T02', 'U01'],
      ['T01', 'U09'],
      ['', ''],
    ] as const) {
      expect(personBySlackId(snapshot, team, user)).toBeUndefined();
      expect(() => slackVoter(snapshot, team, user, 'default')).toThrow(expect.objectContaining({ code: 'forbidden' }));
    }
  });

  test('a mapped person votes with their role and in their tenants', () => {
    const voter = slackVoter(snapshot, 'T01', 'U01', 'default');
    expect(voter).toMatchObject({ person: 'alice', kind: 'human', role: 'admin', tenant: 'default', platform: false });
    expect(() => assertMayVote(voter, { key_id: id('agent') }, identities)).toThrow(refusal);
    expect(() => slackVoter(snapshot, 'T01', 'U01', 'other')).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => slackVoter(snapshot, 'T01', 'U02', 'default')).toThrow('votes need the role operator or admin');
  });

  test('[identity.person-tenants] a person without tenants can vote only in a tenant where a key names them', () => {
    expect(slackVoter(snapshot, 'T01', 'U03', 'default')).toMatchObject({ person: 'carol', tenants: ['default'] });
    for (const [user, tenant] of [
      ['U03', 'other'],
      ['U04', 'default'],
    ] as const)
      expect(() => slackVoter(snapshot, 'T01', user, tenant)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});

describe('the Git host', () => {
  const people = [
    { id: 'alice', name: 'Alice', role: 'admin' as const, tenants: ['default'], github_login: 'Alice-GH' },
    { id: 'vera', role: 'viewer' as const, tenants: ['*'], github_login: 'vera' },
    { id: 'bob', role: 'operator' as const, tenants: ['*'] },
  ];
  const snapshot = { configuration: { people, tenants: [], organizations: [] } };

  test('[sod.own-request] a login that is mapped to no person cannot vote', () => {
    for (const login of ['mallory', 'alice', '', 'undefined']) {
      expect(personByGithubLogin(snapshot, login)).toBeUndefined();
      expect(() => githubVoter(snapshot, login, 'default')).toThrow(expect.objectContaining({ code: 'forbidden' }));
    }
  });

  test('[pr-comment.voter] a mapped person votes with their role and in their tenants; the login is case-insensitive', () => {
    const voter = githubVoter(snapshot, 'alice-gh', 'default');
    expect(voter).toMatchObject({ person: 'alice', kind: 'human', role: 'admin', key_id: 'github:alice-gh' });
    expect(() => assertMayVote(voter, { key_id: id('agent') }, identities)).toThrow(refusal);
    expect(() => githubVoter(snapshot, 'ALICE-gh', 'other')).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => githubVoter(snapshot, 'vera', 'default')).toThrow('votes need the role operator or admin');
  });
});
