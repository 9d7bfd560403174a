/** Rollouts with the figures for both sides; each can be paused, resumed and rolled back [console.rollouts]. */
import { useCallback, useState } from 'preact/hooks';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { type Api, faultText } from '../api.ts';
import { Badge } from '../design/badge.tsx';
import { Button, Buttons } from '../design/button.tsx';
import { Card, Heading } from '../design/layout.tsx';
import { EmptyState, Loaded, Notice } from '../design/states.tsx';
import { type Column, Table } from '../design/table.tsx';
import { Text } from '../design/text.tsx';
import { Money, RelativeTime } from '../design/values.tsx';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { duration, figure } from '../words.ts';

const everyMs = 10_000;

type Rollout = AnswerOf<'listRollouts'>['rollouts'][number];
type Arm = AnswerOf<'getRollout'>['metrics']['canary'];

/** Actions that each state allows; the gateway refuses the others. */
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
      <Heading lead="A rollout moves a model to another provider in stages, and back if the new one is worse.">
        Rollouts
      </Heading>
      <Loaded live={live}>
        {({ rollouts }) =>
          rollouts.length === 0 ? (
            <EmptyState icon="rollout" title="No rollouts" example={<pre>{example}</pre>}>
              Start one with <code>agentctl rollout create</code>:
            </EmptyState>
          ) : (
            rollouts.map((rollout) => (
              <RolloutCard key={rollout.id} api={api} rollout={rollout} changed={live.refresh} />
            ))
          )
        }
      </Loaded>
    </>
  );
}

const example = 'agentctl rollout create --model "gpt-*" --canary openai-eu --stages 5,25,100 --window 10m';

interface OneProps {
  readonly api: Api;
  readonly rollout: Rollout;
  readonly changed: () => void;
}

function RolloutCard({ api, rollout, changed }: OneProps) {
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
    <Card title={`Rollout of ${route_model}`} icon="rollout" aside={<Badge of={state} />}>
      <p>
        From <Text of={baseline_providers.join(', ')} /> to <Text of={canary_provider} />: {rollout.current_percentage}{' '}
        % of the traffic. Stages of {rollout.stages.join(', ')} %, each for{' '}
        {duration(rollout.observation_window_ms / 1000)}. Started <RelativeTime at={rollout.created_at} /> by{' '}
        <Text of={rollout.created_by} />.
        {rollout.rollback_reason !== undefined && (
          <>
            {' '}
            Rolled back: <Text of={rollout.rollback_reason} />.
          </>
        )}
      </p>
      {fault !== undefined && <Notice kind="bad">{fault}</Notice>}
      <Loaded live={live}>
        {({ metrics }) => (
          <Table
            caption={`Both sides of the rollout of ${route_model}`}
            columns={columns}
            rows={[
              { side: 'baseline', ...metrics.baseline },
              { side: 'canary', ...metrics.canary },
            ]}
            keyOf={({ side }) => side}
          />
        )}
      </Loaded>
      {acts.length > 0 && (
        <Buttons>
          {acts.map((what) => (
            <Button key={what} tone={what === 'rollback' ? 'bad' : undefined} onClick={() => act(what)}>
              {names[what]}
            </Button>
          ))}
        </Buttons>
      )}
    </Card>
  );
}

const msText = (ms: number | null): string => (ms === null ? '–' : `${Math.round(ms)} ms`);

const columns: readonly Column<Arm & { readonly side: string }>[] = [
  { head: 'Side', cell: ({ side }) => side },
  { head: 'Requests', cell: ({ requests }) => figure(requests), number: true },
  {
    head: 'Errors',
    number: true,
    cell: ({ errors, error_rate }) => `${figure(errors)} (${(error_rate * 100).toFixed(1)} %)`,
  },
  { head: 'p50', cell: ({ p50_latency_ms }) => msText(p50_latency_ms), number: true, priority: 3 },
  { head: 'p95', cell: ({ p95_latency_ms }) => msText(p95_latency_ms), number: true, priority: 2 },
  { head: 'Cost', cell: ({ cost_usd }) => <Money usd={cost_usd} />, number: true, priority: 2 },
];
