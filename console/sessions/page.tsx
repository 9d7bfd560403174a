/**
 * Sessions with evidence; or one of them with its risk, its steps, and its verification in the browser
 * [console.sessions].
 */
import { useCallback, useState } from 'preact/hooks';
import { countText } from '#core/kernel/count-text.ts';
import { useAddress } from '../address-query.ts';
import { Badge } from '../design/badge.tsx';
import { Button, Buttons } from '../design/button.tsx';
import { Choice, Field, Toolbar } from '../design/field.tsx';
import { Heading } from '../design/layout.tsx';
import { EmptyState, Loaded } from '../design/states.tsx';
import { Table } from '../design/table.tsx';
import { Code, IdLink, Text } from '../design/text.tsx';
import { RelativeTime } from '../design/values.tsx';
import { useKeyNames } from '../key-names.ts';
import { lazy } from '../lazy.tsx';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { hashOf } from '../route.ts';
import { figure } from '../words.ts';
import { BundleFile } from './bundle-file.tsx';
import {
  callsOf,
  isFound,
  notableCounts,
  type Session,
  type State,
  stateOf,
  type Task,
  taskOf,
} from './session-list.ts';

const everyMs = 10_000;

/** Declared tasks, newest first. */
interface Tasks {
  readonly manifests: readonly Task[];
}

const SessionView = lazy(async () => {
  await import('../evidence/no-eval.ts'); // before the first schema is created
  return (await import('./session-view.tsx')).SessionView;
});

export const SessionsPage = (props: PageProps) =>
  props.id === undefined ? <Sessions {...props} /> : <SessionView key={props.id} {...props} id={props.id} />;

const states: readonly (readonly [value: string, word: string])[] = [
  ['', 'all'],
  ['waiting', 'waiting for a person'],
  ['active', 'active'],
  ['quiet', 'quiet'],
];

function Sessions({ api, pending }: PageProps) {
  const { asked, set } = useAddress();
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const ask = useCallback(
    (signal: AbortSignal) =>
      api.get<'listSessions'>(
        `evidence/sessions?limit=100${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
        signal,
      ),
    [api, cursor],
  );
  const live = useLive(ask, everyMs);
  const names = useKeyNames(api);
  const askTasks = useCallback((signal: AbortSignal) => api.ofFeature<Tasks>('manifests?limit=200', signal), [api]);
  const tasks = useLive(askTasks, everyMs).value?.manifests ?? [];
  const waiting = new Set(pending.value?.pending.map(({ session_id }) => session_id));
  const search = { text: asked('q'), state: asked('state') };
  return (
    <>
      <Heading lead="Everything an agent did in one piece of work, as signed evidence. Open one to replay it step by step.">
        Sessions
      </Heading>
      <Loaded live={live} lines={8}>
        {({ sessions, cursor: next }) => {
          if (sessions.length === 0 && cursor === undefined)
            return (
              <EmptyState
                icon="session"
                title="No sessions yet"
                example={
                  <Code of="agentctl test-action --protocol shell --tool shell.run --target 'npm test' --capability execute" />
                }
              >
                A session begins with the first call of an agent: its decisions, approvals and results are kept here as
                a chain that anyone can verify.
              </EmptyState>
            );
          const now = Date.now();
          const rows = sessions
            .map((session) => ({
              session,
              state: stateOf(session, waiting, now),
              agent: session.owner_key ? names.nameOf(session.owner_key) : '',
              task: taskOf(session, tasks),
            }))
            .filter(({ session, state, agent, task }) => isFound(session, state, search, [agent, task]));
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
                        placeholder="a session, a task or an agent"
                        value={search.text}
                        onInput={(event) => set({ q: event.currentTarget.value })}
                      />
                    )}
                  </Field>
                  <Choice label="State" value={search.state} options={states} choose={(state) => set({ state })} />
                </Toolbar>
              </search>
              <p role="status" class="quiet">
                {countText(rows.length, 'session')}
                {rows.length < sessions.length && ` of ${sessions.length}`}
              </p>
              <Rows rows={rows} />
              {(cursor !== undefined || next !== undefined) && (
                <Buttons>
                  <Button small disabled={cursor === undefined} onClick={() => setCursors(cursors.slice(0, -1))}>
                    Previous
                  </Button>
                  <Button small disabled={next === undefined} onClick={() => next && setCursors([...cursors, next])}>
                    Next
                  </Button>
                </Buttons>
              )}
            </>
          );
        }}
      </Loaded>
      <BundleFile />
    </>
  );
}

interface Row {
  readonly session: Session;
  readonly state: State;
  /** Name of its key. */
  readonly agent: string;
  readonly task: string;
}

const Rows = ({ rows }: { readonly rows: readonly Row[] }) => (
  <Table<Row>
    caption="Sessions with evidence"
    rows={rows}
    keyOf={({ session }) => `${session.tenant} ${session.session_id}`}
    columns={[
      {
        head: 'Session',
        wide: true,
        cell: ({ session: { session_id }, task }) => (
          <>
            <IdLink href={hashOf('sessions', session_id)} id={session_id} />
            {task && (
              <small class="quiet">
                <Text of={task} />
              </small>
            )}
          </>
        ),
      },
      { head: 'Agent', priority: 2, cell: ({ agent }) => (agent ? <Text of={agent} /> : '–') },
      { head: 'State', cell: ({ state }) => <Badge of={state} tone={tones[state]} /> },
      { head: 'Calls', number: true, priority: 2, cell: ({ session }) => figure(callsOf(session)) },
      {
        head: 'Notable',
        priority: 3,
        cell: ({ session }) => <span class="quiet">{notableCounts(session) || '–'}</span>,
      },
      {
        head: 'Risk',
        number: true,
        priority: 2,
        cell: ({ session: { risk } }) => (risk ? <span title={risk.rule}>{risk.score}</span> : 0),
      },
      { head: 'Last activity', cell: ({ session: { updated_at } }) => <RelativeTime at={updated_at} /> },
    ]}
  />
);

const tones = { waiting: 'warn', active: 'good', quiet: 'neutral' } as const;
