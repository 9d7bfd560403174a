/** People who may approve requests of this tenant, with their rights, keys, accounts and last votes [console.people]. */
import { useCallback } from 'preact/hooks';
import { useAddress } from '../address-query.ts';
import { Badge } from '../design/badge.tsx';
import { Field, Toolbar } from '../design/field.tsx';
import { Heading } from '../design/layout.tsx';
import { EmptyState, Loaded } from '../design/states.tsx';
import { type Column, Table } from '../design/table.tsx';
import { Text } from '../design/text.tsx';
import { RelativeTime } from '../design/values.tsx';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { mayOperate } from '../session.ts';
import { isFound, type People, type Voter, votersOf } from './voters.ts';

const everyMs = 60_000;
/** Number of decisions of each kind searched for a person's last vote. */
const maxDecided = 100;

export function PeoplePage({ api, me }: PageProps) {
  const operates = mayOperate(me);
  const ask = useCallback(
    async (signal: AbortSignal): Promise<People> => {
      const decided = (status: string) =>
        api.get<'approvalHistory'>(`approvals/history?status=${status}&limit=${maxDecided}`, signal);
      const [identities, { separation_rules: rules }, answers] = await Promise.all([
        api.get<'listIdentities'>('identity/identities?include=passkeys', signal),
        api.get<'listSeparationRules'>('identity/separation-rules', signal),
        operates ? Promise.all([decided('approved'), decided('denied')]) : undefined,
      ]);
      return { identities, rules, decided: answers?.flatMap(({ approvals }) => approvals) };
    },
    [api, operates],
  );
  return (
    <>
      <Heading lead="People who may approve agents' requests, with their keys and accounts. People cannot decide on requests that were made with their own keys.">
        People
      </Heading>
      <Loaded live={useLive(ask, everyMs)}>
        {(people) => {
          const voters = votersOf(people, me);
          return voters.length === 0 ? (
            <EmptyState icon="people" title="No people" example={<pre>{example}</pre>}>
              A person approves with a key of kind human, or by a Slack or Git host account. The configuration names
              both:
            </EmptyState>
          ) : (
            <List voters={voters} decided={people.decided !== undefined} />
          );
        }}
      </Loaded>
    </>
  );
}

const example = `people:
  - { id: alice, name: Alice, role: operator, slack_id: "T01/U01" }
tenants:
  - id: default
    api_keys:
      - { key_env: ALICE_KEY, kind: human, person: alice }`;

interface ListProps {
  readonly voters: readonly Voter[];
  /** True if decisions could be read. */
  readonly decided: boolean;
}

function List({ voters, decided }: ListProps) {
  const { asked, set } = useAddress();
  const shown = voters.filter((voter) => isFound(voter, asked('q')));
  const approving = voters.filter(({ role }) => role).length;
  return (
    <>
      <search>
        <Toolbar>
          <Field label="Search">
            {(tied) => (
              <input
                {...tied}
                type="search"
                autoComplete="off"
                spellcheck={false}
                placeholder="a person, team or key"
                value={asked('q')}
                onInput={(event) => set({ q: event.currentTarget.value })}
              />
            )}
          </Field>
        </Toolbar>
      </search>
      <p role="status" class="quiet">
        {approving} of {voters.length === 1 ? '1 person' : `${voters.length} people`} may approve.
        {shown.length < voters.length && ` ${shown.length} shown.`}
      </p>
      <Table
        caption="People"
        columns={decided ? [...columns, lastVote] : columns}
        rows={shown}
        keyOf={({ id }) => id}
      />
      {decided && (
        <p class="quiet">
          Last votes are those among the latest {maxDecided} approvals and {maxDecided} denials.
        </p>
      )}
    </>
  );
}

const list = (words: readonly string[]) => <Text of={words.join(', ') || '–'} />;

const columns: readonly Column<Voter>[] = [
  {
    head: 'Name',
    cell: ({ id, name }) => (
      <>
        <Text of={name} />
        {name !== id && (
          <>
            {' '}
            <small class="quiet">
              <Text of={id} />
            </small>
          </>
        )}
      </>
    ),
  },
  {
    head: 'Approves as',
    cell: ({ role }) =>
      role ? (
        <Badge of={role} tone={role === 'admin' ? 'info' : 'neutral'} />
      ) : (
        <span class="quiet">may not approve</span>
      ),
  },
  {
    head: 'Votes by',
    priority: 2,
    wide: true,
    cell: ({ means }) => list(means.map(({ name, role }) => `${name} (${role})`)),
  },
  { head: 'Teams', priority: 2, cell: ({ teams }) => list(teams) },
  { head: 'Counts for', priority: 3, cell: ({ countsFor }) => list(countsFor) },
  { head: 'Passkeys', number: true, priority: 2, cell: ({ passkeys }) => passkeys || '–' },
];

const lastVote: Column<Voter> = {
  head: 'Last vote',
  number: true,
  cell: ({ lastVote: at }) => (at ? <RelativeTime at={at} /> : '–'),
};
