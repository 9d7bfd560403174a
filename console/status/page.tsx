/** How the gateway is: alerts, providers, budgets, notifications, recent violations [console.status]. */
import { useCallback, useState } from 'preact/hooks';
import type { AnswerOf } from '#core/contracts/operations.ts';
import { type Api, faultText } from '../api.ts';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { mayOperate } from '../session.ts';
import { Ago, Asked, Badge, Code, Fact, Facts, Heading, Notice, Table, Text } from '../ui.tsx';
import { duration } from '../words.ts';

const everyMs = 10_000;

export function StatusPage({ api, me }: PageProps) {
  const ask = useCallback((signal: AbortSignal) => api.get<'status'>('health/detailed', signal), [api]);
  return (
    <>
      <Heading>Status</Heading>
      <Alerts api={api} mayAcknowledge={mayOperate(me)} />
      <Asked live={useLive(ask, everyMs)}>
        {(status) => (
          <>
            <Overview of={status} />
            <Providers of={status} />
            <Budgets of={status} />
            <Violations of={status} />
          </>
        )}
      </Asked>
    </>
  );
}

function Alerts({ api, mayAcknowledge }: { readonly api: Api; readonly mayAcknowledge: boolean }) {
  const ask = useCallback((signal: AbortSignal) => api.get<'listAlerts'>('alerts', signal), [api]);
  const live = useLive(ask, everyMs);
  const [fault, setFault] = useState<string | undefined>();
  const acknowledge = async (id: string) => {
    setFault(undefined);
    await api
      .post<'acknowledgeAlert'>(`alerts/${encodeURIComponent(id)}/acknowledge`, {})
      .catch((cause) => setFault(faultText(cause)));
    live.refresh();
  };
  return (
    <section>
      <h2>Alerts</h2>
      {fault !== undefined && <Notice kind="bad">{fault}</Notice>}
      <Asked live={live}>
        {({ alerts }) => {
          const open = alerts.filter(({ state }) => state !== 'resolved');
          return open.length === 0 ? (
            <p>No alert is open.</p>
          ) : (
            <ul class="plain-list">
              {open.map(({ id, severity, state, message, created_at, acknowledged_by }) => (
                <li key={id}>
                  <Badge of={severity} /> <Text of={message} />{' '}
                  <span class="quiet">
                    {state}
                    {acknowledged_by && (
                      <>
                        {' by '}
                        <Text of={acknowledged_by} />
                      </>
                    )}
                    , <Ago at={created_at} />
                  </span>{' '}
                  {state === 'active' && mayAcknowledge && (
                    <button type="button" onClick={() => acknowledge(id)}>
                      Acknowledge
                    </button>
                  )}
                </li>
              ))}
            </ul>
          );
        }}
      </Asked>
    </section>
  );
}

type Status = AnswerOf<'status'>;

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
      <Fact name="Notifications">
        {status.deliveries.due} due, {status.deliveries.failing.length} failing
      </Fact>
    </Facts>
    {status.warnings.map((warning) => (
      <Notice key={warning} kind="warn">
        <Text of={warning} />
      </Notice>
    ))}
  </section>
);

const Providers = ({ of: { providers } }: { readonly of: Status }) => (
  <section>
    <h2>Providers</h2>
    <Table caption="Providers" heads={['Name', 'Type', 'Health', 'Errors']}>
      {providers.map(({ name, type, health, error_rate }) => (
        <tr key={name}>
          <td>
            <Text of={name} />
          </td>
          <td>{type}</td>
          <td>
            <Badge of={health} />
          </td>
          <td>{(error_rate * 100).toFixed(1)} %</td>
        </tr>
      ))}
    </Table>
  </section>
);

const Budgets = ({ of: { budgets } }: { readonly of: Status }) =>
  budgets.length === 0 ? null : (
    <section>
      <h2>Budgets</h2>
      <Table caption="Budgets" heads={['Of', 'Period', 'Spent', 'Limit', 'State']}>
        {budgets.map(({ account, period, spent_usd, reserved_usd, limit_usd, tier }) => (
          <tr key={`${account} ${period}`}>
            <td>
              <Text of={account} />
            </td>
            <td>{period}</td>
            <td>{(spent_usd + reserved_usd).toFixed(2)} USD</td>
            <td>{limit_usd.toFixed(2)} USD</td>
            <td>
              <Badge of={tier} />
            </td>
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
              <Ago at={at} />
            </span>
          </li>
        ))}
      </ul>
    )}
  </section>
);
