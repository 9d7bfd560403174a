/** Health of the gateway: dependencies, providers, notifications, federation, recent violations [console.health]. */
import { useCallback } from 'preact/hooks';
import type { AnswerOf } from '#core/contracts/operations.ts';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { Badge, Code, Fact, Facts, Heading, Loaded, Notice, RelativeTime, Table, Text } from '../ui.tsx';
import { duration } from '../words.ts';

const everyMs = 10_000;

export function HealthPage({ api }: PageProps) {
  const ask = useCallback((signal: AbortSignal) => api.get<'status'>('health/detailed', signal), [api]);
  return (
    <>
      <Heading>Health</Heading>
      <Loaded live={useLive(ask, everyMs)}>
        {(status) => (
          <>
            <p role="status">
              <Badge of={status.status} /> {sentences[status.status]}
            </p>
            <Overview of={status} />
            <Dependencies of={status} />
            <Providers of={status} />
            <Notifications of={status} />
            <Violations of={status} />
          </>
        )}
      </Loaded>
    </>
  );
}

type Status = AnswerOf<'status'>;

const sentences: Readonly<Record<Status['status'], string>> = {
  ok: 'Nothing that the gateway depends on is known to be down.',
  degraded: 'Something is down that no decision needs.',
  unavailable: 'A store is down: nothing is decided until it is back.',
};

const Overview = ({ of: status }: { readonly of: Status }) => (
  <section>
    <h2>Gateway</h2>
    <Facts>
      <Fact name="Version">{status.version}</Fact>
      <Fact name="Policy">
        <Text of={status.policy} />, version {status.policy_version}
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
    {status.warnings.map((warning) => (
      <Notice key={warning} kind="warn">
        <Text of={warning} />
      </Notice>
    ))}
  </section>
);

/** What is down comes first. */
const inOrder = ['down', 'degraded', 'unknown', 'up'];

const Dependencies = ({ of: { dependencies } }: { readonly of: Status }) => (
  <section>
    <h2>What it depends on</h2>
    <Table caption="What it depends on" heads={['Name', 'Kind', 'State', 'Latency', 'Since']}>
      {[...dependencies]
        .sort((one, other) => inOrder.indexOf(one.state) - inOrder.indexOf(other.state))
        .map(({ kind, name, needed, state, latency_ms, reason, since }) => (
          <tr key={`${kind} ${name}`}>
            <td>
              <Text of={name} />
            </td>
            <td>
              {kind.replaceAll('_', ' ')}
              {needed && <span class="quiet">, needed</span>}
            </td>
            <td>
              <Badge of={state} /> {reason && <Text of={reason} />}
            </td>
            <td>{latency_ms === undefined ? '–' : `${Math.round(latency_ms)} ms`}</td>
            <td>
              <RelativeTime at={since} />
            </td>
          </tr>
        ))}
    </Table>
  </section>
);

const Notifications = ({ of: { deliveries } }: { readonly of: Status }) => (
  <section>
    <h2>Notifications</h2>
    <p>
      {deliveries.due} due, {deliveries.failing.length} failing.
    </p>
    {deliveries.failing.length > 0 && (
      <Table caption="Notifications that fail" heads={['Channel', 'Event', 'State', 'Attempts', 'Error']}>
        {deliveries.failing.map(({ channel, event, envelope_id, state, attempts, error }) => (
          <tr key={`${channel} ${event} ${envelope_id}`}>
            <td>
              <Text of={channel} />
            </td>
            <td>{event.replaceAll('_', ' ')}</td>
            <td>
              <Badge of={state} />
            </td>
            <td>{attempts}</td>
            <td>
              <Text of={error} />
            </td>
          </tr>
        ))}
      </Table>
    )}
  </section>
);

const Providers = ({ of: { providers } }: { readonly of: Status }) => (
  <section>
    <h2>Providers</h2>
    <Table caption="Providers" heads={['Name', 'Type', 'Health', 'Breaker', 'Errors', 'Reason']}>
      {providers.map(({ name, type, health, breaker, error_rate, reason }) => (
        <tr key={name}>
          <td>
            <Text of={name} />
          </td>
          <td>{type}</td>
          <td>
            <Badge of={health} />
          </td>
          <td>{breaker ?? '–'}</td>
          <td>{(error_rate * 100).toFixed(1)} %</td>
          <td>{reason ? <Text of={reason} /> : '–'}</td>
        </tr>
      ))}
    </Table>
  </section>
);

const Violations = ({ of: { recent_violations } }: { readonly of: Status }) => (
  <section>
    <h2>Recent violations</h2>
    {recent_violations.length === 0 ? (
      <p>None.</p>
    ) : (
      <ul class="plain-list">
        {recent_violations.map(({ at, envelope_id, tool, target, matched_rule, reason }) => (
          <li key={envelope_id}>
            {tool && <Code of={tool} />} {target && <Text of={target} />} {matched_rule && <Code of={matched_rule} />}{' '}
            {reason && <Text of={reason} />}{' '}
            <span class="quiet">
              <RelativeTime at={at} />
            </span>
          </li>
        ))}
      </ul>
    )}
  </section>
);
