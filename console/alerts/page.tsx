/** Alerts: those that are open, with what was measured; one is taken up by an acknowledgement. The resolved ones on demand [console.alerts]. */
import { useCallback, useState } from 'preact/hooks';
import type { AnswerOf } from '#core/contracts/operations.ts';
import { faultText } from '../api.ts';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { mayOperate } from '../session.ts';
import { Badge, Code, Heading, Loaded, Notice, RelativeTime, Text } from '../ui.tsx';
import { figure, plural } from '../words.ts';

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
      <Heading>Alerts</Heading>
      <div class="choices">
        <div>
          <label for="alerts-shown">Show</label>
          <select
            id="alerts-shown"
            value={shown}
            onChange={(event) => setShown(event.currentTarget.value as AlertFilter)}
          >
            <option value="open">those that are open</option>
            <option value="resolved">those that are resolved</option>
          </select>
        </div>
      </div>
      <div role="alert">{fault !== undefined && <Notice kind="bad">{fault}</Notice>}</div>
      <Loaded live={live}>
        {({ alerts }) => {
          const wanted = alerts.filter(({ state }) => (state === 'resolved') === (shown === 'resolved'));
          return (
            <>
              <p role="status">
                {wanted.length === 0
                  ? `No alert is ${shown}.`
                  : `${plural(wanted.length, 'alert')} ${wanted.length === 1 ? 'is' : 'are'} ${shown}.`}
              </p>
              <ul class="cards">
                {wanted.map((alert) => (
                  <li key={alert.id}>
                    <One alert={alert} />
                    {alert.state === 'active' && mayOperate(me) && (
                      <button
                        type="button"
                        aria-label={`Acknowledge: ${alert.metric} of ${alert.dimension}`}
                        onClick={() => acknowledge(alert.id)}
                      >
                        Acknowledge
                      </button>
                    )}
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

function One({ alert }: { readonly alert: Alert }) {
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
