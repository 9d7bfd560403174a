/**
 * The overview: approvals, decisions, spend, health, evidence and alerts, each with a link to its page
 * [console.overview].
 */
import { useCallback } from 'preact/hooks';
import { excerptOf } from '../approvals/items.ts';
import { Badge } from '../design/badge.tsx';
import { Card, Figure, Grid, Heading } from '../design/layout.tsx';
import { Loaded } from '../design/states.tsx';
import { Code, Text } from '../design/text.tsx';
import { Money, RelativeTime } from '../design/values.tsx';
import { checkpointOf, type LogCheckpoint } from '../evidence/checkpoint.ts';
import { healthSentence, type Status } from '../health/words.ts';
import { type LiveAnswer, useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { hashOf } from '../route.ts';
import { mayOperate } from '../session.ts';
import { duration, figure } from '../words.ts';
import { Dependencies } from './dependencies.tsx';
import { mostListed, Part } from './part.tsx';

const everyMs = 10_000;

export function OverviewPage({ api, me, pending }: PageProps) {
  const askStatus = useCallback((signal: AbortSignal) => api.get<'status'>('health/detailed', signal), [api]);
  const status = useLive(askStatus, everyMs);
  return (
    <>
      <Heading
        lead={status.value ? healthSentence(status.value) : 'What needs attention now.'}
        actions={status.value && <Badge of={status.value.status} />}
      >
        Overview
      </Heading>
      <Grid>
        {mayOperate(me) ? <Approvals pending={pending} /> : <PendingCount status={status} />}
        <Decisions api={api} />
        <Spend api={api} />
        <Dependencies
          status={status}
          title="Providers"
          icon="provider"
          page="providers"
          kind="provider"
          none="No provider is configured."
        />
        <Dependencies
          status={status}
          title="MCP servers"
          icon="server"
          page="servers"
          kind="mcp_server"
          none="No MCP server is configured."
        />
        <Evidence api={api} status={status} />
        <Alerts api={api} />
      </Grid>
    </>
  );
}

const Approvals = ({ pending }: Pick<PageProps, 'pending'>) => (
  <Part title="Pending approvals" icon="approval" page="approvals" open="Review" wide>
    <Loaded live={pending}>
      {({ pending, cursor }) => (
        <>
          <Figure of={`${pending.length}${cursor === undefined ? '' : '+'}`}>
            {pending.length === 0
              ? 'Nothing is pending. New requests appear here automatically.'
              : pending.length === 1
                ? 'request waits for a decision'
                : 'requests wait for a decision'}
          </Figure>
          {pending.length > 0 && (
            <ol class="rows">
              {pending.slice(0, mostListed).map((item) => (
                <li key={item.envelope_id}>
                  <a href={hashOf('approvals', item.envelope_id)}>
                    <strong>
                      <Code of={item.tool} />
                    </strong>
                    <span class="cut">
                      <Code of={excerptOf(item) ?? item.target} />
                    </span>
                    <span class="quiet">{duration(item.expires_in_seconds ?? 0)} left</span>
                  </a>
                </li>
              ))}
            </ol>
          )}
        </>
      )}
    </Loaded>
  </Part>
);

/** Number of pending approvals, for keys that may not list them. */
const PendingCount = ({ status }: { readonly status: LiveAnswer<Status> }) => (
  <Card title="Pending approvals" icon="approval">
    <Loaded live={status}>
      {({ pending_approvals, pending_approvals_more, oldest_pending_seconds }) => (
        <Figure of={`${pending_approvals}${pending_approvals_more ? '+' : ''}`}>
          {pending_approvals === 0 ? 'pending' : `pending, the oldest for ${duration(oldest_pending_seconds)}`}
        </Figure>
      )}
    </Loaded>
  </Card>
);

/** Returns the start of today in local time. */
function today(): string {
  const day = new Date();
  day.setHours(0, 0, 0, 0);
  return day.toISOString();
}

function Decisions({ api }: Pick<PageProps, 'api'>) {
  const ask = useCallback((signal: AbortSignal) => api.get<'usage'>(`usage?from=${today()}`, signal), [api]);
  return (
    <Part title="Decisions today" icon="activity" page="traffic">
      <Loaded live={useLive(ask, everyMs)}>
        {({ total, decisions }) => (
          <>
            <Figure of={figure(total)}>{total === 1 ? 'call' : 'calls'}</Figure>
            <ul class="rows">
              {(['allow', 'review', 'block'] as const).map((decision) => (
                <li key={decision}>
                  <Badge of={decision} />
                  <span class="end">{figure(decisions[decision] ?? 0)}</span>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Part>
  );
}

function Spend({ api }: Pick<PageProps, 'api'>) {
  const ask = useCallback(
    async (signal: AbortSignal) => {
      const [usage, budgets] = await Promise.all([
        api.get<'usage'>(`usage?from=${today()}`, signal),
        api.get<'listBudgets'>('budgets', signal),
      ]);
      return { spent: usage.cost_usd, budgets: budgets.statuses };
    },
    [api],
  );
  return (
    <Part title="Spend" icon="budget" page="budgets">
      <Loaded live={useLive(ask, everyMs)}>
        {({ spent, budgets }) => (
          <>
            <Figure of={<Money usd={spent} />}>today</Figure>
            {budgets.length === 0 ? (
              <p class="quiet">No budget is set.</p>
            ) : (
              <ul class="rows">
                {budgets
                  .toSorted((one, other) => other.percentage - one.percentage)
                  .slice(0, mostListed)
                  .map(({ account, key_name = account, period, percentage, spent_usd, limit_usd }) => (
                    <li key={`${account} ${period}`} class="budget">
                      <span>
                        <Text of={key_name} /> <span class="quiet">per {period}</span>
                      </span>
                      <span class="end">
                        <Money usd={spent_usd} /> of <Money usd={limit_usd} />
                      </span>
                      <meter
                        min={0}
                        max={100}
                        high={80}
                        value={Math.min(100, percentage)}
                        aria-label={`${Math.round(percentage)} % used`}
                      />
                    </li>
                  ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
    </Part>
  );
}

function Evidence({ api, status }: Pick<PageProps, 'api'> & { readonly status: LiveAnswer<Status> }) {
  const ask = useCallback(
    (signal: AbortSignal) => api.ofFeature<LogCheckpoint>('evidence/log/checkpoint', signal),
    [api],
  );
  return (
    <Part title="Evidence" icon="chain" page="evidence">
      <Loaded live={useLive(ask, 30_000)}>
        {({ checkpoint, cosigned }) => (
          <>
            <Figure of={figure(checkpointOf(checkpoint).size)}>
              {checkpointOf(checkpoint).size === 1 ? 'entry in the log' : 'entries in the log'}
            </Figure>
            <ul class="rows">
              <li>
                Sessions
                <span class="end">
                  {status.value
                    ? `${status.value.evidence_sessions}${status.value.evidence_sessions_more ? '+' : ''}`
                    : '…'}
                </span>
              </li>
              <li>
                Log
                <span class="end">
                  <Badge of="signed checkpoint" tone="info" />
                </span>
              </li>
              <li>
                Witnesses
                <span class="end">{cosigned.length === 0 ? 'none' : cosigned.length}</span>
              </li>
            </ul>
          </>
        )}
      </Loaded>
    </Part>
  );
}

function Alerts({ api }: Pick<PageProps, 'api'>) {
  const ask = useCallback((signal: AbortSignal) => api.get<'listAlerts'>('alerts', signal), [api]);
  const live = useLive(ask, everyMs);
  const open = live.value?.alerts.filter(({ state }) => state !== 'resolved') ?? [];
  return (
    <Part title="Open alerts" icon="alert" page="alerts" wide={open.length > 0}>
      <Loaded live={live}>
        {() =>
          open.length === 0 ? (
            <Figure of="0">No limit is exceeded.</Figure>
          ) : (
            <>
              <Figure of={open.length}>{open.length === 1 ? 'alert' : 'alerts'}</Figure>
              <ul class="rows">
                {open.slice(0, mostListed).map(({ id, severity, message, created_at }) => (
                  <li key={id}>
                    <Badge of={severity} />
                    <span class="cut">
                      <Text of={message} />
                    </span>
                    <span class="quiet">
                      <RelativeTime at={created_at} />
                    </span>
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </Part>
  );
}
