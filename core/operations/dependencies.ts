/** A gateway's dependencies, with their state, latency and time of the last change [admin.status]. */

import type { FailingDelivery } from '#core/approvals/notifications/failing.ts';
import { troubleAsRead } from '#core/configuration/file-trouble.ts';
import type { dependencySchema } from '#core/contracts/answers/status.ts';
import type { Shape } from '#core/contracts/shape.ts';
import { type Contradiction, contradictedInWords } from '#core/evidence/contradiction.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import { dimensionOf } from '#core/observatory/dimensions.ts';
import { providerHealth } from '#core/observatory/provider-health.ts';
import { type FailedEntry, setAsideInWords } from '#core/observatory/set-aside.ts';
import { setAsideLooked } from '#core/operations/alerts/conditions.ts';
import type { providersOf } from './chat-views.ts';
import type { federationOf } from './federation-view.ts';
import type { Call } from './operation.ts';

interface Dependency extends Omit<Shape<typeof dependencySchema>, 'since'> {
  /** Time at which the state began, if another source knows it more precisely than this process. */
  readonly since?: string;
}

/** Data already read by other parts of the status response. */
interface StatusParts {
  readonly providers: Awaited<ReturnType<typeof providersOf>>;
  readonly failing: readonly FailingDelivery[];
  readonly federation: Awaited<ReturnType<typeof federationOf>>;
}

/**
 * Checks the stores directly. The state of other dependencies comes from the last calls to them, because a check would
 * cost money or disturb a service. `degraded` means that the failed dependency is not needed for decisions. If a store
 * is down, the request fails earlier with `service_unavailable`.
 */
export async function dependenciesOf(call: Pick<Call, 'ports' | 'snapshot' | 'principal'>, known: StatusParts) {
  const { ports } = call;
  const [stores, upstreams, projection] = await Promise.all([storesOf(call), upstreamsOf(call), projectionsOf(call)]);
  const found = [
    ...stores,
    ...providers(known),
    ...upstreams,
    ...channels(call, known),
    ...controlPlane(known),
    ...projection,
    ...configurationFile(call),
  ];
  const now = ports.clock.now();
  const dependencies = found.map((one) => ({
    ...one,
    since: one.since ?? isoTime(ports.dependencyStates.note(`${one.kind} ${one.name}`, one.state, now)),
  }));
  const down = dependencies.filter(({ kind, state }) => state === 'down' || (ownParts.has(kind) && state !== 'up'));
  const status = down.some(({ needed }) => needed) ? 'unavailable' : down.length > 0 ? 'degraded' : 'ok';
  return { status, dependencies };
}

/** The gateway's own parts, for which `degraded` means a fault that operators must fix. */
const ownParts = new Set<string>(['projection', 'configuration']);

async function storesOf({ ports }: Pick<Call, 'ports'>): Promise<Dependency[]> {
  const rows = await timeAnswer(ports, () => ports.configStore.current());
  const bodies = await timeAnswer(ports, async () => {
    if (rows.value && !(await ports.objects.get(rows.value.sha256)))
      throw new Error('the body of the configuration in force is missing');
  });
  return [
    { kind: 'store', name: 'tables', needed: true, ...rows.found },
    { kind: 'object_store', name: 'objects', needed: true, ...bodies.found },
  ];
}

async function timeAnswer<T>({ clock }: Call['ports'], ask: () => Promise<T>) {
  const startedAt = clock.now();
  try {
    const value = await ask();
    return { value, found: { state: 'up' as const, latency_ms: Math.max(0, clock.now() - startedAt) } };
  } catch (thrown) {
    return { found: { state: 'down' as const, reason: thrown instanceof Error ? thrown.name : 'it does not answer' } };
  }
}

const providerStates = { healthy: 'up', degraded: 'degraded', unhealthy: 'down', unknown: 'unknown' } as const;

const providers = ({ providers: all }: StatusParts): Dependency[] =>
  all.flatMap(({ name, health, breaker, p95_latency_ms, reason }) =>
    health === 'disabled'
      ? []
      : [
          {
            kind: 'provider' as const,
            name,
            needed: false,
            state: providerStates[health],
            ...(p95_latency_ms !== undefined && { latency_ms: p95_latency_ms }),
            ...(reason !== undefined && health !== 'healthy' && { reason }),
            ...(breaker === 'open' && { reason: 'its breaker is open' }),
          },
        ],
  );

const upstreamWindowMinutes = 15;
const tenantsAtOnce = 10;

/**
 * Reports the state of MCP servers and HTTP services, based on this tenant's last calls. A server that this process
 * could not start or reach is reported as down even before its first call [admin.status].
 */
async function upstreamsOf({
  ports,
  principal,
  snapshot,
}: Pick<Call, 'ports' | 'snapshot' | 'principal'>): Promise<Dependency[]> {
  const now = ports.clock.now();
  const span = { from: isoTime(now - upstreamWindowMinutes * 60_000), to: isoTime(now) };
  const { mcp, http } = snapshot.configuration.upstreams;
  const all = [
    ...mcp.map(({ name }) => ({ kind: 'mcp_server' as const, name })),
    ...http.map(({ name }) => ({ kind: 'http_service' as const, name })),
  ];
  return Promise.all(
    all.map(async (one) => {
      const dimension = dimensionOf('upstream', one.name);
      const minutes = await ports.observations.minutes(principal.tenant, { dimension, ...span });
      const { health, p95_latency_ms } = providerHealth(minutes);
      const latency = p95_latency_ms !== undefined && { latency_ms: p95_latency_ms };
      const connection = one.kind === 'mcp_server' ? ports.dependencyStates.connectionOf(one.name) : undefined;
      if (connection?.down !== undefined)
        return { ...one, needed: false, state: 'down' as const, ...latency, reason: connection.down };
      const state = health === 'unknown' && connection ? 'up' : providerStates[health];
      return { ...one, needed: false, state, ...latency };
    }),
  );
}

function channels({ snapshot }: Pick<Call, 'snapshot'>, { failing }: StatusParts): Dependency[] {
  const configured = Object.entries(snapshot.configuration.approvals.channels)
    .filter(([, settings]) => settings?.enabled)
    .map(([name]) => name);
  return [...new Set([...configured, ...failing.map(({ channel }) => channel)])].map((name) => {
    const last = failing.find(({ channel }) => channel === name);
    return {
      kind: 'channel',
      name,
      needed: false,
      state: last ? 'down' : 'up',
      ...(last && { reason: last.error }),
    };
  });
}

/** Number of open alerts to examine, newest first. */
const openLooked = 100;
/** Projection lag above which a problem is reported. The lag is normally below one second. */
const maxLagMs = 10_000;

/**
 * Reports whether entries reach the archive, checkpoints and views. Names any session whose entries did not
 * [audit.set-aside], and chains that contradict their evidence [evidence.contradicted].
 */
async function projectionsOf({
  ports,
  principal,
  snapshot,
}: Pick<Call, 'ports' | 'snapshot' | 'principal'>): Promise<Dependency[]> {
  const { platform, tenant } = principal;
  const tenants = platform ? snapshot.configuration.tenants.map(({ id }) => id) : [tenant];
  const rows: FailedEntry[] = [];
  const contradicted: Contradiction[] = [];
  await sideBySide(tenants, tenantsAtOnce, async (id) => {
    rows.push(...(await ports.setAside.list(id, setAsideLooked)));
    contradicted.push(...(await ports.contradictions.list(id, setAsideLooked)));
  });
  const base = { kind: 'projection', name: 'evidence', needed: false } as const;
  const degraded = (reason: string): Dependency => ({ ...base, state: 'degraded', reason });
  const chains =
    contradicted.length > 0 ? [{ ...degraded(contradictedInWords(contradicted, setAsideLooked)), name: 'chains' }] : [];
  const more = await ofOtherTenants(ports, platform ? tenants : undefined);
  if (rows.length > 0 || more)
    return [degraded(rows.length > 0 ? setAsideInWords(rows, setAsideLooked) : more!), ...chains];
  const lagMs = ports.projectionLagMs?.() ?? 0;
  if (lagMs <= maxLagMs) return [{ ...base, state: 'up' }, ...chains];
  const reason = `The projection is ${Math.round(lagMs / 1000)} seconds behind: usage, analytics and violations lack the latest entries. Nothing is lost; it catches up from evidence.`;
  return [degraded(reason), ...chains];
}

/**
 * Returns the newest open evidence alert for a tenant stored as a row, since the sessions of such tenants are not read
 * here.
 */
async function ofOtherTenants({ alerts }: Call['ports'], tenants: readonly string[] | undefined) {
  if (!tenants) return undefined;
  const { items } = await alerts.open({ limit: openLooked });
  return items.find(({ scope, alert }) => alert.type === 'evidence' && !tenants.includes(scope))?.alert.message;
}

/**
 * Reports the state of this process's configuration file. If it fails to load, its last valid content stays in force
 * [policy.hot-reload].
 */
function configurationFile({
  ports,
  principal,
  snapshot,
}: Pick<Call, 'ports' | 'principal' | 'snapshot'>): Dependency[] {
  const { configurationTrouble } = ports;
  if (!configurationTrouble) return [];
  const trouble = configurationTrouble.current;
  const base = { kind: 'configuration', name: 'file', needed: false } as const;
  if (!trouble) return [{ ...base, state: 'up' }];
  const [reason = ''] = troubleAsRead(principal, trouble, snapshot.version);
  return [{ ...base, state: 'degraded', reason, since: trouble.since }];
}

function controlPlane({ federation }: StatusParts): Dependency[] {
  if (!federation) return [];
  const reason = federation.stale ?? federation.refused;
  const state = reason !== undefined ? 'down' : federation.control_plane_version > 0 ? 'up' : 'unknown';
  return [
    { kind: 'control_plane', name: 'control plane', needed: false, state, ...(reason !== undefined && { reason }) },
  ];
}
