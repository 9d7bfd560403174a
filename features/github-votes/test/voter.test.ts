/** Who may vote with a Git host account. */
import { keyIdOf } from '#core/configuration/identity/identities.ts';
import { assertMayVote } from '#core/configuration/identity/separation-of-duties.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { identitiesOf, key } from '../../../test/unit/configuration/identity/principals.ts';
import { githubVoter, personByGithubLogin } from '../voter.ts';

const id = (value: string) => keyIdOf(sha256(value));
const identities = identitiesOf([key('agent', { owner: 'alice' })]);
const refusal = expect.objectContaining({ code: 'separation_of_duties' });

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
