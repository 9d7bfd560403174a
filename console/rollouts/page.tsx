/** Rollouts with what both sides did; each can be paused, resumed and rolled back [console.rollouts]. */
import { useCallback, useState } from 'preact/hooks';
import type { AnswerOf } from '#core/contracts/operations.ts';
import { type Api, faultText } from '../api.ts';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { Badge, Code, Heading, Loaded, Notice, RelativeTime, Table, Text } from '../ui.tsx';
import { duration } from '../words.ts';

const everyMs = 10_000;

type Rollout = AnswerOf<'listRollouts'>['rollouts'][number];
type Arm = AnswerOf<'getRollout'>['metrics']['canary'];

/** What can be done in each state; the gateway refuses the rest. */
const actsIn: Readonly<Partial<Record<Rollout['state'], readonly ('pause' | 'resume' | 'rollback')[]>>> = {
  pending: ['rollback'],
  running: ['pause', 'rollback'],
  paused: ['resume', 'rollback'],
};
const names = { pause: 'Pause', resume: 'Resume', rollback: 'Roll back' } as const;

export function RolloutsPage({ api }: PageProps) {
  const ask = useCallback((signal: AbortSignal) => api.get<'listRollouts'>('rollouts', signal), [api]);
  const live = useLive(ask, everyMs);
  return (
    <>
      <Heading>Rollouts</Heading>
      <Loaded live={live}>
        {({ rollouts }) =>
          rollouts.length === 0 ? (
            <p>
              There is no rollout. <code>agentctl rollout create</code> begins one.
            </p>
          ) : (
            rollouts.map((rollout) => <One key={rollout.id} api={api} rollout={rollout} changed={live.refresh} />)
          )
        }
      </Loaded>
    </>
  );
}

interface OneProps {
  readonly api: Api;
  readonly rollout: Rollout;
  readonly changed: () => void;
}

function One({ api, rollout, changed }: OneProps) {
  const { id, route_model, baseline_providers, canary_provider, state } = rollout;
  const [fault, setFault] = useState<string | undefined>();
  const ask = useCallback(
    (signal: AbortSignal) => api.get<'getRollout'>(`rollouts/${encodeURIComponent(id)}`, signal),
    [api, id],
  );
  const acts = actsIn[state] ?? [];
  const live = useLive(ask, acts.length > 0 ? everyMs : 0);
  const act = async (what: 'pause' | 'resume' | 'rollback') => {
    setFault(undefined);
    await api
      .post<'pauseRollout'>(`rollouts/${encodeURIComponent(id)}/${what}`, {})
      .catch((cause) => setFault(faultText(cause)));
    changed();
  };
  return (
    <section aria-label={`Rollout of ${route_model}`}>
      <h2>
        <Code of={route_model} /> <Badge of={state} />
      </h2>
      <p>
        From <Text of={baseline_providers.join(', ')} /> to <Text of={canary_provider} />: {rollout.current_percentage}{' '}
        % of the traffic, stages {rollout.stages.join(', ')} %, each for{' '}
        {duration(rollout.observation_window_ms / 1000)}. Begun <RelativeTime at={rollout.created_at} /> by{' '}
        <Text of={rollout.created_by} />.
        {rollout.rollback_reason !== undefined && (
          <>
            {' '}
            Rolled back: <Text of={rollout.rollback_reason} />.
          </>
        )}
      </p>
      {fault !== undefined && <Notice kind="bad">{fault}</Notice>}
      <Loaded live={live}>{({ metrics }) => <Arms {...metrics} />}</Loaded>
      <div class="buttons">
        {acts.map((what) => (
          <button key={what} type="button" class={what === 'rollback' ? 'bad' : ''} onClick={() => act(what)}>
            {names[what]}
          </button>
        ))}
      </div>
    </section>
  );
}

const Arms = ({ baseline, canary }: { readonly baseline: Arm; readonly canary: Arm }) => (
  <Table caption="What both sides did" heads={['Side', 'Requests', 'Errors', 'p50', 'p95', 'Cost']}>
    {Object.entries({ baseline, canary }).map(([side, arm]) => (
      <tr key={side}>
        <td>{side}</td>
        <td>{arm.requests}</td>
        <td>
          {arm.errors} ({(arm.error_rate * 100).toFixed(1)} %)
        </td>
        <td>{arm.p50_latency_ms === null ? 'none' : `${Math.round(arm.p50_latency_ms)} ms`}</td>
        <td>{arm.p95_latency_ms === null ? 'none' : `${Math.round(arm.p95_latency_ms)} ms`}</td>
        <td>{arm.cost_usd.toFixed(6)} USD</td>
      </tr>
    ))}
  </Table>
);
