/**
 * Alerts: open ones show the measured value and where to act, and can be acknowledged. Resolved alerts are shown on
 * demand [console.alerts].
 */
import { useCallback, useState } from 'preact/hooks';
import { countText } from '#core/kernel/count-text.ts';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { faultText } from '../api.ts';
import { Badge } from '../design/badge.tsx';
import { Button, ButtonLink, Buttons } from '../design/button.tsx';
import { Choice, Toolbar } from '../design/field.tsx';
import { Heading } from '../design/layout.tsx';
import { EmptyState, Loaded, Notice } from '../design/states.tsx';
import { Code, Text } from '../design/text.tsx';
import { RelativeTime } from '../design/values.tsx';
import { pageWords } from '../frame/pages.ts';
import { useLive } from '../live.ts';
import { refusedPage } from '../page-access.ts';
import type { PageProps } from '../page-props.ts';
import { hashOf } from '../route.ts';
import { type Me, mayOperate } from '../session.ts';
import { figure } from '../words.ts';
import { pageOfAlert } from './page-of-alert.ts';

const everyMs = 10_000;

type Alert = AnswerOf<'listAlerts'>['alerts'][number];
type AlertFilter = 'open' | 'resolved';

export function AlertsPage({ api, me }: PageProps) {
  const [shown, setShown] = useState<AlertFilter>('open');
  const ask = useCallback(
    (signal: AbortSignal) => api.get<'listAlerts'>(shown === 'open' ? 'alerts' : 'alerts?state=resolved', signal),
    [api, shown],
  );
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
    <>
      <Heading lead="An alert opens when a measured value passes its threshold, and is resolved when it falls below it.">
        Alerts
      </Heading>
      <Toolbar>
        <Choice
          label="Show"
          value={shown}
          choose={setShown}
          options={[
            ['open', 'Open'],
            ['resolved', 'Resolved'],
          ]}
        />
      </Toolbar>
      <div role="alert">{fault !== undefined && <Notice kind="bad">{fault}</Notice>}</div>
      <Loaded live={live}>
        {({ alerts }) => {
          const wanted = alerts.filter(({ state }) => (state === 'resolved') === (shown === 'resolved'));
          return (
            <>
              <p role="status" class={wanted.length === 0 ? 'unseen' : undefined}>
                {wanted.length === 0 ? `No ${shown} alerts` : countText(wanted.length, `${shown} alert`)}
              </p>
              {wanted.length === 0 && (
                <EmptyState icon="alert" title={`No ${shown} alerts`} example={<pre>{example}</pre>}>
                  The gateway watches errors, latency, cost, pending approvals, budgets and its evidence. Thresholds are
                  in the configuration:
                </EmptyState>
              )}
              <ul class="cards">
                {wanted.map((alert) => (
                  <li key={alert.id}>
                    <AlertCard alert={alert} />
                    <Actions alert={alert} me={me} acknowledge={acknowledge} />
                  </li>
                ))}
              </ul>
            </>
          );
        }}
      </Loaded>
    </>
  );
}

const example = 'alerts: { error_rate: 0.2, usd_per_minute: 50, oldest_pending_seconds: 900 }';

interface ActionsProps {
  readonly alert: Alert;
  readonly me: Me;
  readonly acknowledge: (id: string) => void;
}

function Actions({ alert, me, acknowledge }: ActionsProps) {
  if (alert.state === 'resolved') return null;
  const page = pageOfAlert(alert);
  return (
    <Buttons>
      {refusedPage(page, me) === undefined && (
        <ButtonLink href={hashOf(page)} icon={pageWords[page].icon}>
          {pageWords[page].name}
        </ButtonLink>
      )}
      {alert.state === 'active' && mayOperate(me) && (
        <Button aria-label={`Acknowledge: ${alert.metric} of ${alert.dimension}`} onClick={() => acknowledge(alert.id)}>
          Acknowledge
        </Button>
      )}
    </Buttons>
  );
}

function AlertCard({ alert }: { readonly alert: Alert }) {
  const { severity, state, type, dimension, metric, value, threshold, message } = alert;
  return (
    <div>
      <p>
        <Badge of={severity} />{' '}
        <strong>
          <Text of={message} />
        </strong>
      </p>
      <p class="quiet">
        {state}
        {alert.acknowledged_by && (
          <>
            {' by '}
            <Text of={alert.acknowledged_by} />
          </>
        )}
        , since <RelativeTime at={alert.created_at} />
        {alert.resolved_at && (
          <>
            , resolved <RelativeTime at={alert.resolved_at} />
          </>
        )}
        . <Code of={metric} /> of <Text of={dimension} />: {figure(value)}, threshold {figure(threshold)} (
        {type.replaceAll('_', ' ')})
      </p>
    </div>
  );
}
