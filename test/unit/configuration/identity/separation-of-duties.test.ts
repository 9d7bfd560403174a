/** Who may vote on which request. */

import { adminPrincipal, keyIdOf } from '#core/configuration/identity/identities.ts';
import {
  assertMayVote,
  assertTenant,
  stillCounts,
  voterOf,
} from '#core/configuration/identity/separation-of-duties.ts';
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

test('[sod.own-request] the vote of a person counts while they are listed or have a key', () => {
  const counts = (person: string) =>
    stillCounts(
      person,
      { key_id: id('orphan') },
      { configuration: { people: [], tenants: [], organizations: [] }, identities },
    );
  expect(['alice', 'removed'].map(counts)).toEqual([true, false]);
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
  expect(() => assertTenant(bob, 'default')).not.toThrow();
  expect(() => assertTenant(adminPrincipal('default'), 'other')).not.toThrow();
  expect(() => assertTenant(bob, 'other')).toThrow(expect.objectContaining({ code: 'not_found' }));
});

test('[pr-comment.voter] an account on another service votes as its mapped person, in the tenants of that person', () => {
  const alice = { id: 'alice', role: 'admin' as const, tenants: ['default'] };
  const vera = { id: 'vera', role: 'viewer' as const, tenants: ['*'] };
  const people = { configuration: { people: [alice, vera], tenants: [], organizations: [] } };
  const account = { name: 'Git host', member: 'github_login', key_id: 'github:alice' } as const;
  expect(voterOf(people, alice, account, 'default')).toMatchObject({ person: 'alice', kind: 'human', role: 'admin' });
  expect(() => voterOf(people, alice, account, 'other')).toThrow(expect.objectContaining({ code: 'not_found' }));
  for (const person of [vera, undefined])
    expect(() => voterOf(people, person, account, 'default')).toThrow(expect.objectContaining({ code: 'forbidden' }));
});
