/** Health of the gateway: dependencies, providers, notifications, federation, recent violations [console.health]. */
import { useCallback } from 'preact/hooks';
import { Badge } from '../design/badge.tsx';
import { Card, Fact, Facts, Heading } from '../design/layout.tsx';
import { EmptyState, Loaded, Notice } from '../design/states.tsx';
import { type Column, Table } from '../design/table.tsx';
import { Code, Text } from '../design/text.tsx';
import { RelativeTime } from '../design/values.tsx';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { hashOf } from '../route.ts';
import { duration } from '../words.ts';
import { healthSentence, type Status } from './words.ts';

const everyMs = 10_000;

export function HealthPage({ api }: PageProps) {
  const ask = useCallback((signal: AbortSignal) => api.get<'status'>('health/detailed', signal), [api]);
  return (
    <>
      <Heading lead="What the gateway depends on, and what it could not deliver.">Health</Heading>
      <Loaded live={useLive(ask, everyMs)} lines={8}>
        {(status) => (
          <>
            <p role="status">
              <Badge of={status.status} /> {healthSentence(status)}
            </p>
            {status.warnings.map((warning) => (
              <Notice key={warning} kind="warn">
                <Text of={warning} />
              </Notice>
            ))}
            <Gateway of={status} />
            <h2>Dependencies</h2>
            <Table
              caption="Dependencies"
              columns={dependencyColumns}
              rows={status.dependencies.toSorted((one, other) => worstFirst(one) - worstFirst(other))}
              keyOf={({ kind, name }) => `${kind} ${name}`}
            />
            <h2>Providers</h2>
            <Table caption="Providers" columns={providerColumns} rows={status.providers} keyOf={({ name }) => name} />
            <Notifications of={status} />
            <Violations of={status} />
          </>
        )}
      </Loaded>
    </>
  );
}

const Gateway = ({ of: status }: { readonly of: Status }) => (
  <Card title="Gateway" icon="system">
    <Facts>
      <Fact name="Version">{status.version}</Fact>
      <Fact name="Policy">
        <a href={hashOf('policies')}>
          <Text of={status.policy} />
        </a>
        , version {status.policy_version}
      </Fact>
      <Fact name="Approvals">
        {status.pending_approvals}
        {status.pending_approvals_more && '+'} pending
        {status.pending_approvals > 0 && `, the oldest for ${duration(status.oldest_pending_seconds)}`}
      </Fact>
      <Fact name="Sessions">
        {status.evidence_sessions}
        {status.evidence_sessions_more && '+'} with evidence
      </Fact>
      {status.federation && (
        <Fact name="Federation">
          <Text of={status.federation.plane} /> has version {status.federation.control_plane_version} of its control
          plane
          {status.federation.stale && (
            <>
              ; stale: <Text of={status.federation.stale} />
            </>
          )}
          {status.federation.refused && (
            <>
              ; the newest document was refused: <Text of={status.federation.refused} />
            </>
          )}
        </Fact>
      )}
    </Facts>
  </Card>
);

type Dependency = Status['dependencies'][number];

const order: readonly Dependency['state'][] = ['down', 'degraded', 'unknown', 'up'];
const worstFirst = ({ state }: Dependency): number => order.indexOf(state);

const dependencyColumns: readonly Column<Dependency>[] = [
  { head: 'Name', cell: ({ name }) => <Text of={name} /> },
  {
    head: 'Kind',
    priority: 2,
    cell: ({ kind, needed }) => (
      <>
        {kind.replaceAll('_', ' ').replace('mcp', 'MCP')}
        {needed && <span class="quiet">, needed</span>}
      </>
    ),
  },
  {
    head: 'State',
    cell: ({ state, reason }) => (
      <>
        <Badge of={state} /> {reason && <Text of={reason} />}
      </>
    ),
    wide: true,
  },
  {
    head: 'Latency',
    number: true,
    priority: 3,
    cell: ({ latency_ms: ms }) => (ms === undefined ? '–' : `${Math.round(ms)} ms`),
  },
  { head: 'Since', cell: ({ since }) => <RelativeTime at={since} />, priority: 2 },
];

const providerColumns: readonly Column<Status['providers'][number]>[] = [
  { head: 'Name', cell: ({ name }) => <Text of={name} /> },
  { head: 'Type', cell: ({ type }) => type, priority: 3 },
  {
    head: 'Health',
    cell: ({ health, reason }) => (
      <>
        <Badge of={health} /> {reason && <Text of={reason} />}
      </>
    ),
    wide: true,
  },
  { head: 'Breaker', cell: ({ breaker }) => breaker ?? '–', priority: 3 },
  { head: 'Errors', cell: ({ error_rate }) => `${(error_rate * 100).toFixed(1)} %`, number: true },
];

const Notifications = ({ of: { deliveries } }: { readonly of: Status }) => (
  <section>
    <h2>Notifications</h2>
    <p class="quiet">
      {deliveries.due} due, {deliveries.failing.length} failing
    </p>
    {deliveries.failing.length > 0 && (
      <Table
        caption="Failing notifications"
        columns={deliveryColumns}
        rows={deliveries.failing}
        keyOf={({ channel, event, envelope_id }) => `${channel} ${event} ${envelope_id}`}
      />
    )}
  </section>
);

const deliveryColumns: readonly Column<Status['deliveries']['failing'][number]>[] = [
  { head: 'Channel', cell: ({ channel }) => <Text of={channel} /> },
  { head: 'Event', cell: ({ event }) => event.replaceAll('_', ' '), priority: 2 },
  { head: 'State', cell: ({ state }) => <Badge of={state} /> },
  { head: 'Attempts', cell: ({ attempts }) => attempts, number: true, priority: 2 },
  { head: 'Error', cell: ({ error }) => <Text of={error} />, priority: 3, wide: true },
];

const Violations = ({ of: { recent_violations } }: { readonly of: Status }) => (
  <section>
    <h2>Recent violations</h2>
    {recent_violations.length === 0 ? (
      <EmptyState icon="good" title="No violations">
        A violation is a call that a policy blocked.
      </EmptyState>
    ) : (
      <Table
        caption="Recent violations"
        columns={violationColumns}
        rows={recent_violations}
        keyOf={({ envelope_id }) => envelope_id}
      />
    )}
  </section>
);

const violationColumns: readonly Column<Status['recent_violations'][number]>[] = [
  {
    head: 'Call',
    cell: ({ tool, target }) => (
      <>
        {tool ? <Code of={tool} /> : 'model call'} {target && <Text of={target} />}
      </>
    ),
  },
  {
    head: 'Reason',
    wide: true,
    cell: ({ reason, matched_rule }) => <Text of={reason ?? matched_rule ?? '–'} />,
  },
  { head: 'When', cell: ({ at }) => <RelativeTime at={at} />, priority: 2 },
];
