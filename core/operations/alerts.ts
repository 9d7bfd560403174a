/**
 * Lists and acknowledges alerts [alert.lifecycle]. A tenant's callers see that tenant's alerts; platform callers see
 * all alerts.
 */

import { personActor } from '#core/configuration/identity/principal.ts';
import { type Alert, type AlertRow, type AlertScope, platformAlerts } from '#core/contracts/alert.ts';
import { alertSchema } from '#core/contracts/answers/alerts.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { notFound, type Thing } from '#core/kernel/not-found.ts';
import type { Page } from '#core/kernel/page.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { changeAlert } from '#core/operations/alerts/change.ts';
import { parseAlertId } from '#core/operations/alerts/lifecycle.ts';
import { type Call, cursorOf, limitOf, type Operation, wordOf } from './operation.ts';

/**
 * Maximum number of alerts returned, and of open alerts read for tenants stored as rows. Older alerts are in the
 * evidence.
 */
const maxShown = 500;

export const listAlerts: Operation = async (call) => {
  const state = wordOf(call.query, 'state', alertSchema.shape.state.options);
  const limit = limitOf(call.query, maxShown, maxShown);
  const scopes = scopesOf(call);
  const rows = await Promise.all(scopes.map((scope) => call.ports.alerts.list(scope)));
  const open = call.principal.platform ? await call.ports.alerts.open({ limit, ...cursorOf(call.query) }) : none;
  const own = new Set(scopes);
  const alerts = [...rows.flat(), ...open.items.filter(({ scope }) => !own.has(scope))]
    .map(({ alert }) => alert)
    .filter((alert) => state === undefined || alert.state === state)
    .sort((a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : a.id < b.id ? -1 : 1));
  const cursor = open.cursor === undefined ? {} : { cursor: open.cursor };
  return { body: { alerts: alerts.slice(0, limit), total: alerts.length, ...cursor } };
};

const alertThing: Thing = { noun: 'alert', list: 'GET /admin/v1/alerts' };

const none: Page<AlertRow> = { items: [] };

/** Scopes whose alerts are all read. For tenants stored as rows, a platform caller only sees the open alerts. */
const scopesOf = ({ principal, snapshot }: Call): AlertScope[] =>
  principal.platform ? [platformAlerts, ...snapshot.configuration.tenants.map(({ id }) => id)] : [principal.tenant];

/** Acknowledges an alert and records which caller did so. Idempotent. */
export const acknowledgeAlert: Operation = async (call) => {
  const { ports, principal, snapshot, params } = call;
  const id = params.id ?? '';
  for (let tries = 0; tries < 3; tries++) {
    const place = parseAlertId(id);
    const visible = place && (principal.platform || place.scope === principal.tenant);
    const before = visible ? await ports.alerts.get(place.scope, place.key) : undefined;
    if (!place || !before) throw notFound(alertThing, id);
    const { alert } = before;
    if (alert.id !== id) {
      const former = (await ports.alerts.list(place.scope)).some((row) => row.alert.id === id);
      if (!former) throw notFound(alertThing, id);
    }
    if (alert.id !== id || alert.state === 'resolved')
      throw new GatewayError('conflict', `Alert ${id} is resolved; only an active alert can be acknowledged.`);
    if (alert.state === 'acknowledged') return { body: alert };
    const acknowledged: Alert = {
      ...alert,
      state: 'acknowledged',
      acknowledged_by: principal.person ?? principal.name,
      acknowledged_at: isoTime(ports.clock.now()),
    };
    const row = { ...before, revision: before.revision + 1, alert: acknowledged };
    const change = { row, before, change: 'acknowledged', actor: personActor(principal) } as const;
    if (await changeAlert(ports, snapshot.configuration, change)) return { body: acknowledged };
  }
  throw new GatewayError(
    'conflict',
    `Alert ${id} was changed by another request at the same moment; read it again, then repeat the request.`,
  );
};
