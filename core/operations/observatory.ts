/** Operations for health, identity, status, usage, violations and metrics. */

import { failingDeliveries } from '#core/approvals/notifications/failing.ts';
import { troubleAsRead } from '#core/configuration/file-trouble.ts';
import { environmentOfTenant, teamsOf } from '#core/configuration/identity/organization.ts';
import { warningsAsRead } from '#core/configuration/tenant-view.ts';
import { usageSchema } from '#core/contracts/answers/usage.ts';
import { membersOf } from '#core/contracts/shape.ts';
import { separateArchiveWarning } from '#core/evidence/archived.ts';
import { pickMembers } from '#core/kernel/only.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { addCounts, addUsages, type Counts } from '#core/observatory/add-usages.ts';
import type { Usage } from '#core/observatory/ports.ts';
import { budgetsOf } from './budgets.ts';
import { pageByPath, subjectOf, tenantsOf } from './by-path.ts';
import { providersOf } from './chat-views.ts';
import { dependenciesOf } from './dependencies.ts';
import { federationOf } from './federation-view.ts';
import { limitOf, type Operation } from './operation.ts';
import type { MetricsPorts } from './ports.ts';

export const whoami: Operation = async ({ principal, snapshot }) => {
  const { key_id, name, tenant, role, kind, person, owner, platform } = principal;
  const path = environmentOfTenant(snapshot.configuration, tenant)?.path;
  const teams = person === undefined ? [] : teamsOf(snapshot.configuration, person);
  return {
    body: {
      tenant,
      role,
      kind,
      key_id,
      name,
      person,
      owner,
      platform,
      ...(path !== undefined && { path }),
      ...(teams.length > 0 && { teams }),
    },
  };
};

const decisionsTotal = 'svc_policy_decisions_total';

/**
 * Returns metrics. Platform callers get this process's registry; others get their tenant's counters from the
 * projection, which is a second or two behind [admin.metrics].
 */
export const metrics: Operation = async ({ ports, principal }) => ({
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  body: principal.platform
    ? await platformMetrics(ports, principal.tenant)
    : await tenantMetrics(ports, principal.tenant),
});

/** Adds the projected counters to the registry's text if decisions are made in other functions. */
async function platformMetrics({ observations, metricsText }: MetricsPorts, tenant: string): Promise<string> {
  const own = metricsText();
  return own.includes(decisionsTotal) ? own : own + decisionCounters(await observations.usage(tenant, {}));
}

async function tenantMetrics({ observations }: MetricsPorts, tenant: string): Promise<string> {
  const usage = await observations.usage(tenant, {});
  const outcomes = Object.entries(usage.outcomes).map(([outcome, count]) => [{ outcome }, count] as const);
  return [
    decisionCounters(usage),
    counters('svc_chat_requests_total', outcomes),
    counters('svc_chat_tokens_total', [
      [{ direction: 'input' }, usage.tokens.input],
      [{ direction: 'output' }, usage.tokens.output],
    ]),
    counters('svc_chat_cost_microusd_total', [[{}, usage.cost_microusd]]),
  ].join('');
}

const decisionCounters = ({ decisions_by_protocol }: Usage): string =>
  counters(
    decisionsTotal,
    decisions_by_protocol.map(({ decision, protocol, count }) => [
      { decision, protocol: protocol.replaceAll(/[^a-z]/gi, '_') },
      count,
    ]),
  );

/** Formats one counter as Prometheus text. Label values are fixed terms defined by the gateway. */
function counters(name: string, values: readonly (readonly [Readonly<Record<string, string>>, number])[]): string {
  const lines = values.map(([labels, value]) => {
    const pairs = Object.entries(labels).map(([label, word]) => `${label}="${word}"`);
    return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
  });
  return lines.length === 0 ? '' : `# TYPE ${name} counter\n${lines.join('')}`;
}

/** Returns the data for `agentctl status`, with one bounded read per store. */
export const status: Operation = async (call) => {
  const { ports, principal, snapshot } = call;
  const { tenant } = principal;
  const now = ports.clock.now();
  const [pending, sessions, deliveries, violations, providers, { statuses: budgets, rate_limit }, federation] =
    await Promise.all([
      ports.approvals.list(tenant, 'pending', { limit: 200 }),
      ports.evidence.sessions(tenant, { limit: 200 }),
      failingDeliveries(ports, tenant),
      ports.observations.violations(tenant, { limit: 10 }),
      providersOf(call),
      budgetsOf(call),
      federationOf(call),
    ]);
  const waiting = pending.items.filter((row) => row.expires_at > isoTime(now));
  const known = { providers, failing: deliveries.failing, federation };
  const oldest = waiting[0] && Math.round((now - Date.parse(waiting[0].queued_at)) / 1000);
  return {
    body: {
      ...(await dependenciesOf(call, known)),
      version: ports.version,
      tenant,
      policy: snapshot.policyDocument.name,
      policy_version: snapshot.version,
      warnings: [
        ...troubleAsRead(principal, ports.configurationTrouble?.current, snapshot.version),
        ...warningsAsRead(principal, snapshot),
        ...(ports.archived?.complete === false ? [separateArchiveWarning] : []),
      ],
      ...(federation && { federation }),
      providers: providers.map(({ name, type, enabled, health, breaker, error_rate, reason }) => ({
        name,
        type,
        enabled,
        health,
        ...(breaker !== undefined && { breaker }),
        error_rate,
        ...(reason !== undefined && { reason }),
      })),
      pending_approvals: waiting.length,
      ...(pending.cursor && { pending_approvals_more: true }),
      oldest_pending_seconds: oldest ?? 0,
      evidence_sessions: sessions.items.length,
      ...(sessions.cursor && { evidence_sessions_more: true }),
      deliveries,
      budgets,
      rate_limit,
      recent_violations: violations.items,
    },
  };
};

/** Returns the usage of the caller's tenant, or the total for a path [admin.by-path]. */
export const usage: Operation = async (call) => {
  const { ports, query } = call;
  const span = pickMembers(query, ['from', 'to']);
  const tenants = tenantsOf(call);
  const each = await Promise.all(tenants.map((tenant) => ports.observations.usage(tenant, span)));
  const sums = pickMembers(addUsages(each), membersOf(usageSchema));
  return { body: { ...subjectOf(call, tenants), ...span, ...sums } };
};

/**
 * Returns actions blocked by rules, and chat calls blocked or held by filters. Warnings and redactions are counted
 * separately.
 */
export const violations: Operation = async (call) => {
  const { ports, query } = call;
  const limit = limitOf(query);
  const page = await pageByPath(call, 'viewer', (tenant, cursor) =>
    ports.observations.violations(tenant, { limit, ...(cursor !== undefined && { cursor }) }),
  );
  const counts = await Promise.all(
    tenantsOf(call).map(async (tenant) => violationCounts(tenant, await ports.observations.usage(tenant, {}))),
  );
  const sums = {
    by_policy: addCounts(counts.map(({ by_policy }) => by_policy)),
    by_rule: addCounts(counts.map(({ by_rule }) => by_rule)),
    by_tenant: Object.assign({}, ...counts.map((each) => each.by_tenant)) as Counts,
    by_action: addCounts(counts.map(({ by_action }) => by_action)),
  };
  return { body: { violations: page.items, ...sums, ...(page.cursor && { cursor: page.cursor }) } };
};

function violationCounts(tenant: string, { blocked_by_rule, blocked_by_policy, decisions, content }: Usage) {
  const blockedActions = decisions.block ?? 0;
  const { block = 0, review = 0 } = content.by_action;
  return {
    by_policy: addCounts([blocked_by_policy, content.by_policy]),
    by_rule: blocked_by_rule,
    by_tenant: { [tenant]: blockedActions + block + review },
    by_action: addCounts([{ block: blockedActions }, content.by_action]),
  };
}
