/**
 * Analytics per minute [admin.analytics] for tenants, models, providers and tools, limited to those that the caller may
 * see.
 */
import { minuteMs } from '#core/kernel/durations.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { notFound, things } from '#core/kernel/not-found.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import { type Bucket, type BucketStep, bucketsOf, parseStep, type TimedSums } from '#core/observatory/buckets.ts';
import {
  type Dimension,
  dimensionOf,
  everyTenant,
  parseDimension,
  partsOf,
  type Scope,
} from '#core/observatory/dimensions.ts';
import type { HourStamps } from '#core/observatory/ports.ts';
import { recentHours } from '#core/observatory/request-row.ts';
import { sumsBetween } from '#core/observatory/sums-between.ts';
import { timeOf } from '#core/observatory/usage.ts';
import { tenantsOf } from './by-path.ts';
import type { Call, Operation } from './operation.ts';

const realtimeMinutes = 5;
/** Default span: the last hour. */
const usualMinutes = 60;
/** Default maximum number of dimensions in a response. Any others must be requested by name. */
const maxListed = 100;
/** Maximum number of buckets in a response, because a function's response is limited to 6 MB. */
const maxBuckets = 25_000;
/**
 * Number of dimensions read concurrently. A response that becomes too large is rejected before all of them are read.
 */
const readConcurrency = 8;
/** Maximum number of reads for a path. Each dimension is read once per tenant. */
const maxReads = 1_000;

interface Span {
  readonly from: string;
  readonly to: string;
}

export const analytics: Operation = async (call) => {
  const { query } = call;
  const step = parseStep(query.step);
  const span = spanOf(call);
  return { body: { ...span, step, ...(await answerOf(call, span, step)) } };
};

/** Returns the last five minutes, including the current one. */
export const realtimeAnalytics: Operation = async (call) => {
  const now = call.ports.clock.now();
  const span = { from: minuteAt(now - (realtimeMinutes - 1) * minuteMs), to: isoTime(now) };
  return { body: { ...span, step: '1m', ...(await answerOf(call, span, '1m')) } };
};

/** A dimension in the response, and the counted dimensions that it sums up. */
interface Series {
  readonly dimension: Dimension;
  readonly sums: readonly { readonly scope: Scope; readonly dimension: Dimension }[];
}

async function answerOf(call: Call, span: Span, step: BucketStep) {
  const asked = call.repeated.dimension?.map(parseDimension);
  const { path } = call.query;
  if (path === undefined) return summaryOf(call, await seriesOf(call, asked, span), span, step);
  return { path, ...(await summaryOf(call, await seriesBelow(call, asked, span), span, step)) };
}

async function seriesOf(call: Call, asked: readonly Dimension[] | undefined, span: Span): Promise<Series[]> {
  const dimensions = [...new Set(asked ?? (await seenIn(call, span)))];
  for (const dimension of dimensions) assertMaySee(call, dimension);
  return dimensions.map((dimension) => ({ dimension, sums: [{ scope: scopeOf(call, dimension), dimension }] }));
}

/** Returns the series for the tenants below the path. `global` is their total [admin.by-path]. */
async function seriesBelow(call: Call, asked: readonly Dimension[] | undefined, span: Span): Promise<Series[]> {
  const tenants = tenantsOf(call);
  const dimensions = [...new Set(asked ?? (await seenBelow(call, tenants, span)))];
  const series = dimensions.map((dimension) => ({
    dimension,
    sums: countedIn(dimension, tenants).map((scope) => ({
      scope,
      dimension: dimension === 'global' ? (`tenant:${scope}` as const) : dimension,
    })),
  }));
  const reads = series.reduce((sum, { sums }) => sum + sums.length, 0);
  if (reads <= maxReads) return series;
  throw invalidRequest(
    `The response would add up ${reads} series; at most ${maxReads} are read. Request fewer dimensions, or a lower level.`,
  );
}

function countedIn(dimension: Dimension, tenants: readonly string[]): readonly string[] {
  const parts = partsOf(dimension);
  if (parts?.kind === 'plane')
    throw invalidRequest(`${dimension} is counted for all tenants together; request it without path.`);
  if (parts?.kind !== 'tenant') return tenants;
  if (!tenants.includes(parts.name)) throw notFound(things.tenant);
  return [parts.name];
}

async function summaryOf(call: Call, series: readonly Series[], span: Span, step: BucketStep) {
  const { observations, clock } = call.ports;
  const found = new Map<Dimension, Bucket[]>();
  const stamps = new Map<Scope, Promise<HourStamps>>();
  const stampsOf = (scope: Scope) => {
    if (!stamps.has(scope)) stamps.set(scope, observations.stamps(scope, span));
    return stamps.get(scope);
  };
  let buckets = 0;
  await sideBySide(
    series,
    readConcurrency,
    async ({ dimension, sums }) => {
      const all: TimedSums[] = [];
      for (const { scope, dimension } of sums) {
        const known = step === '1h' ? await stampsOf(scope) : undefined;
        all.push(...(await sumsBetween(observations, scope, { dimension, ...span, step }, clock.now(), known)));
      }
      const own = bucketsOf(all, step);
      buckets += own.length;
      found.set(dimension, own);
    },
    () => buckets <= maxBuckets,
  );
  if (buckets > maxBuckets) {
    throw invalidRequest(
      `The response would contain more than ${maxBuckets} buckets. Request fewer dimensions, a shorter time or a longer step.`,
    );
  }
  const dimensions = series.map(({ dimension }) => dimension);
  return { dimensions, summary: Object.fromEntries(dimensions.map((dimension) => [dimension, found.get(dimension)])) };
}

/** Returns the total, each tenant, and the names that have traffic, up to the maximum number of reads. */
async function seenBelow({ ports }: Call, tenants: readonly string[], span: Span): Promise<Dimension[]> {
  const names = await Promise.all(tenants.map((tenant) => ports.observations.dimensions(tenant, span)));
  const known = tenants.map((tenant): Dimension => `tenant:${tenant}`);
  const room = Math.floor((maxReads - 2 * tenants.length) / Math.max(1, tenants.length));
  const rest = [...new Set(names.flat())].sort().slice(0, Math.max(0, room));
  return ['global' as const, ...known, ...rest].slice(0, maxListed);
}

/** Returns the visible dimensions that have traffic, starting with the total. */
async function seenIn(call: Call, span: Span): Promise<Dimension[]> {
  const { ports, principal, snapshot } = call;
  const names = await ports.observations.dimensions(ownScope(call), span);
  const tenants = principal.platform ? snapshot.configuration.tenants.map(({ id }) => id) : [principal.tenant];
  const first: Dimension[] = principal.platform ? ['global'] : [];
  const { role, planes } = snapshot.configuration.federation;
  const elsewhere =
    principal.platform && role === 'control' ? planes.map(({ name }) => dimensionOf('plane', name)) : [];
  return [...first, ...tenants.map((id): Dimension => `tenant:${id}`), ...elsewhere, ...names].slice(0, maxListed);
}

/** Returns the caller's scope: its own tenant, or all tenants if it is a platform caller. */
const ownScope = ({ principal }: Call): Scope => (principal.platform ? everyTenant : principal.tenant);

function scopeOf(call: Call, dimension: Dimension): Scope {
  const parts = partsOf(dimension);
  return parts?.kind === 'tenant' ? parts.name : ownScope(call);
}

/**
 * Checks access to a dimension.
 * @throws GatewayError `forbidden` for totals across all tenants of this or another plane, `not_found` for another
 * tenant.
 */
function assertMaySee({ principal, snapshot }: Call, dimension: Dimension): void {
  const parts = partsOf(dimension);
  if ((parts === undefined || parts.kind === 'plane') && !principal.platform) {
    throw new GatewayError(
      'forbidden',
      `${dimension} is for the admin token and platform keys; request dimension=tenant:${principal.tenant} instead.`,
    );
  }
  if (parts?.kind !== 'tenant') return;
  const known = principal.platform
    ? snapshot.configuration.tenants.some(({ id }) => id === parts.name)
    : parts.name === principal.tenant;
  if (!known) throw notFound(things.tenant);
}

/** Returns the requested span, excluding expired buckets that have not been deleted yet. */
function spanOf({ ports, query }: Call): Span {
  const now = ports.clock.now();
  const earliest = minuteAt(now - recentHours * 60 * minuteMs);
  const to = query.to === undefined ? isoTime(now) : timeOf('to', query.to);
  const usual = minuteAt(Date.parse(to) - usualMinutes * minuteMs);
  const asked = query.from === undefined ? usual : timeOf('from', query.from);
  if (asked > to) throw invalidRequest('from is after to; give the earlier time as from.');
  if (to < earliest) return { from: to, to };
  if (asked < earliest) return { from: earliest, to };
  return { from: asked, to };
}

const minuteAt = (ms: number): string => isoTime(Math.floor(ms / minuteMs) * minuteMs);
