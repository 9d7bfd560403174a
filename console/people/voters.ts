/** People who may approve in this tenant: the keys and accounts they vote with, the weight of their votes, and the last
 * vote. */
import { includesRole, type Role } from '#core/contracts/route.ts';
import type { AnswerOf } from '#core/operations/endpoints.ts';

type Identities = AnswerOf<'listIdentities'>;
type Person = Identities['people'][number];
type Me = Pick<AnswerOf<'whoami'>, 'tenant' | 'path'>;
type PastDecision = AnswerOf<'approvalHistory'>['approvals'][number];

export interface People {
  readonly identities: Identities;
  readonly rules: AnswerOf<'listSeparationRules'>['separation_rules'];
  /** Undefined if the key may not read decisions. */
  readonly decided: readonly PastDecision[] | undefined;
}

/** A key or an account, and the role of votes cast with it. */
interface VoterKey {
  readonly name: string;
  readonly role: Role;
}

export interface Voter {
  readonly id: string;
  readonly name: string;
  readonly teams: readonly string[];
  readonly means: readonly VoterKey[];
  /** Highest role that a vote can have; undefined if no vote counts. */
  readonly role: Role | undefined;
  /** Separation rules that restrict whose votes count, and under which this person's votes do. */
  readonly countsFor: readonly string[];
  readonly passkeys: number;
  readonly lastVote: string | undefined;
}

const accountNames = { slack: 'Slack', github: 'Git host', oidc: 'single sign-on' } as const;

/** Returns the configured people and those known only from a key, sorted by name, with those who may approve first. */
export function votersOf({ identities, rules, decided = [] }: People, me: Me): Voter[] {
  const { people, keys, passkeys = {} } = identities;
  const known = new Set(people.map(({ id }) => id));
  const others = new Set(keys.flatMap(({ person }) => (person === undefined || known.has(person) ? [] : [person])));
  const last = lastVotes(decided);
  const voters = [...people, ...[...others].map(personKnownById)].map((person): Voter => {
    const means = meansOf(person, keys, me);
    const role = (['admin', 'operator'] as const).find((each) => means.some((by) => by.role === each));
    const { id, name, teams } = person;
    const counting = role ? rules.filter((rule) => countsFor(rule, me.path ?? '', teams, role)) : [];
    return {
      id,
      name,
      teams,
      means,
      role,
      countsFor: counting.map((rule) => rule.name),
      passkeys: passkeys[id] ?? 0,
      lastVote: last.get(id),
    };
  });
  return voters.sort(
    (one, other) => Number(!one.role) - Number(!other.role) || one.name.localeCompare(other.name, 'en'),
  );
}

const personKnownById = (id: string): Person => ({
  id,
  name: id,
  role: 'viewer',
  tenants: [],
  teams: [],
  grants: [],
  accounts: [],
});

/** Returns the ways to vote. A key has its own role; an account has the role of its person in this tenant. */
function meansOf(person: Person, keys: Identities['keys'], { tenant, path }: Me): VoterKey[] {
  const own = keys.filter((key) => key.person === person.id && key.kind === 'human');
  const isHere =
    person.tenants.length === 0 ? own.length > 0 : person.tenants.some((id) => id === '*' || id === tenant);
  const held = [
    ...(isHere ? [person.role] : []),
    ...person.grants.filter((grant) => `${path ?? ''}/`.startsWith(`${grant.path}/`)).map(({ role }) => role),
  ];
  const role = held.find((each) => held.every((other) => includesRole(each, other)));
  return [
    ...own.map(({ name, role }) => ({ name: `key ${name}`, role })),
    ...(role ? person.accounts.map((account) => ({ name: accountNames[account], role })) : []),
  ];
}

/**
 * Checks whether a rule of this tenant restricts whose votes count, and accepts votes from these teams and this role.
 */
function countsFor(
  { environments, requires }: People['rules'][number],
  path: string,
  teams: readonly string[],
  role: Role,
) {
  const { from_teams, roles, not_same_team } = requires;
  const own = path.split('/').slice(0, 2).join('/');
  return (
    environments.includes(path) &&
    Boolean(from_teams ?? roles ?? not_same_team) &&
    (from_teams?.some((team) => teams.includes(team)) ?? true) &&
    (roles?.includes(role) ?? true) &&
    !(not_same_team && teams.includes(own))
  );
}

/** Returns the time of each person's last vote among these decisions. */
function lastVotes(decided: readonly PastDecision[]): ReadonlyMap<string, string> {
  const last = new Map<string, string>();
  for (const { person, approved_at, denied_at, votes = [] } of decided)
    for (const vote of [...votes, { person, at: approved_at ?? denied_at }])
      if (vote.person && vote.at && vote.at > (last.get(vote.person) ?? '')) last.set(vote.person, vote.at);
  return last;
}

/** Checks whether a person's name, team, key or account contains the text. */
export const isFound = ({ id, name, teams, means }: Voter, text: string): boolean =>
  [id, name, ...teams, ...means.map((by) => by.name)].join('\n').toLowerCase().includes(text.toLowerCase());
