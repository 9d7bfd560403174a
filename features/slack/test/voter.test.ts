/** Who may vote with a Slack account. */
import { keyIdOf } from '#core/configuration/identity/identities.ts';
import { assertMayVote } from '#core/configuration/identity/separation-of-duties.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { identitiesOf, key } from '../../../test/unit/configuration/identity/principals.ts';
import { slackVoter } from '../voter.ts';

const id = (value: string) => keyIdOf(sha256(value));
const identities = identitiesOf([key('agent', { owner: 'alice' })]);
const refusal = expect.objectContaining({ code: 'separation_of_duties' });

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
