/**
 * Collects pending requests into one message [notify.digest]. If a tenant has more pending requests than a channel
 * announces individually, additional ones are collected, and the channel gets one digest at the end of a window.
 * High-risk and short-lived requests are still sent individually.
 */

import type { ApprovalStore } from '#core/approvals/ports.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { type RiskTier, riskTiers } from '#core/contracts/task-manifest.ts';
import { countText } from '#core/kernel/count-text.ts';
import { type Clock, isoTime } from '#core/kernel/ports.ts';
import { tierOfScore } from '#core/session/risk/risk-tier.ts';
import type { Delivery, DeliveryStore } from './ports.ts';

export interface DigestTerms {
  /** True if the channel gets digests. */
  readonly on: boolean;
  /** Number of pending requests above which additional ones are collected. */
  readonly above: number;
  /** Length of a window in seconds. */
  readonly everySeconds: number;
}

export function digestTerms(
  { approvals: { digest }, tenants }: Pick<Configuration, 'approvals' | 'tenants'>,
  tenant: string,
  channel: string,
): DigestTerms {
  const own = tenants.find(({ id }) => id === tenant)?.approval_digest_above;
  const on = digest.channels.some((name) => name === channel);
  return { on, above: own ?? digest.above, everySeconds: digest.every_seconds };
}

/** `notify` runs every minute, so a digest may be this late. */
const scheduleSeconds = 60;
/** The list of pending requests lags behind the rows by one or two seconds. */
const lagSeconds = 2;

/** Returns the tier of the higher of the session and key scores when the call was queued. */
const riskTierOf = ({ risk }: Pick<ApprovalRow, 'risk'>): RiskTier =>
  risk === undefined ? 'low' : tierOfScore(Math.max(risk.session, risk.key), risk.kill_switch);

/**
 * Checks whether the request is high-risk, or has so little time left that a digest would consume more than half of it.
 */
export function isUrgent(row: ApprovalRow, { everySeconds }: DigestTerms, nowMs: number): boolean {
  const leftSeconds = (Date.parse(row.expires_at) - nowMs) / 1000;
  return riskTierOf(row) === 'high' || leftSeconds < 2 * (everySeconds + lagSeconds + scheduleSeconds);
}

interface CollectPorts {
  readonly clock: Clock;
  readonly deliveries: DeliveryStore;
}

/**
 * Queues the current window's digest. A window has at most two, however many processes collect requests: one announces
 * requests, the other reports decisions on announced ones.
 * @returns the delivery id.
 */
export async function collect(
  { clock, deliveries }: CollectPorts,
  { everySeconds }: DigestTerms,
  { tenant, channel }: Pick<Delivery, 'tenant' | 'channel'>,
  announces: boolean,
): Promise<string> {
  const window = Math.floor(clock.now() / (everySeconds * 1000));
  const closesMs = (window + 1) * everySeconds * 1000 + lagSeconds * 1000;
  const closes_at = isoTime(closesMs);
  const id = `${announces ? 'digest' : 'digest-update'}#${tenant}#${closes_at}#${channel}`;
  await deliveries.enqueue({
    id,
    channel,
    event: 'digest',
    envelope_id: `digest#${tenant}`,
    tenant,
    attempts: 0,
    state: 'due',
    due_at: closes_at,
    digest: { announces, closes_at },
  });
  return id;
}

/** Content of a digest. */
export interface Digest {
  readonly tenant: string;
  readonly waiting: number;
  /** Number of requests, starting with the oldest, that the breakdown below covers. */
  readonly counted: number;
  readonly by_risk: Readonly<Record<RiskTier, number>>;
  /** Counts by rule, with the most pending requests first. */
  readonly by_rule: readonly { readonly rule: string; readonly policy?: string; readonly waiting: number }[];
  /** Number of requests under rules not listed. */
  readonly of_other_rules: number;
  readonly oldest_queued_at?: string;
  /** When the next request expires. */
  readonly next_expires_at?: string;
  readonly next_expires_in_seconds?: number;
  /** Requests that expire first. */
  readonly requests: readonly DigestedRequest[];
}

export interface DigestedRequest {
  readonly envelope_id: string;
  readonly tool: string;
  readonly target: string;
  readonly risk: RiskTier;
  readonly expires_at: string;
}

/** Maximum number of rows that a digest reads; additional ones are only counted. */
const maxCounted = 1_000;
const maxWaiting = 10_000;
const pageSize = 100;
const maxRules = 8;
const maxRequests = 10;

export type WaitingRequests = Pick<ApprovalStore, 'list' | 'pendingKeys'>;

export async function digestOf(waiting: WaitingRequests, tenant: string, nowMs: number): Promise<Digest> {
  const by_risk: Record<RiskTier, number> = { low: 0, medium: 0, high: 0 };
  const rules = new Map<string, { rule: string; policy?: string; waiting: number }>();
  let requests: DigestedRequest[] = [];
  let counted = 0;
  let oldest_queued_at: string | undefined;
  for await (const row of oldestPending(waiting, tenant)) {
    counted++;
    by_risk[riskTierOf(row)]++;
    oldest_queued_at ??= row.queued_at;
    const { matched_rule: rule, policy } = row;
    const of = rules.get(`${policy}#${rule}`) ?? { rule, ...(policy !== undefined && { policy }), waiting: 0 };
    rules.set(`${policy}#${rule}`, { ...of, waiting: of.waiting + 1 });
    requests = [...requests, digestRequest(row)].sort(byExpiry).slice(0, maxRequests);
  }
  const ranked = [...rules.values()].sort((a, b) => b.waiting - a.waiting);
  const by_rule = ranked.slice(0, maxRules);
  const next_expires_at = requests[0]?.expires_at;
  return {
    tenant,
    waiting: await waitingOf(waiting, tenant, counted),
    counted,
    by_risk,
    by_rule,
    of_other_rules: ranked.slice(maxRules).reduce((sum, { waiting }) => sum + waiting, 0),
    ...(oldest_queued_at !== undefined && { oldest_queued_at }),
    ...(next_expires_at !== undefined && {
      next_expires_at,
      next_expires_in_seconds: Math.max(0, Math.ceil((Date.parse(next_expires_at) - nowMs) / 1000)),
    }),
    requests,
  };
}

const byExpiry = (a: DigestedRequest, b: DigestedRequest) => (a.expires_at < b.expires_at ? -1 : 1);

function digestRequest(row: ApprovalRow): DigestedRequest {
  const { envelope_id, tool, target, expires_at } = row;
  return { envelope_id, tool, target, risk: riskTierOf(row), expires_at };
}

async function* oldestPending(approvals: WaitingRequests, tenant: string): AsyncGenerator<ApprovalRow> {
  let cursor: string | undefined;
  for (let read = 0; read < maxCounted; read += pageSize) {
    const page = await approvals.list(tenant, 'pending', { limit: pageSize, ...(cursor !== undefined && { cursor }) });
    yield* page.items;
    cursor = page.cursor;
    if (cursor === undefined) return;
  }
}

/** Returns the number of pending requests. If there are more rows than a digest reads, only keys are counted. */
async function waitingOf(approvals: WaitingRequests, tenant: string, counted: number): Promise<number> {
  if (counted < maxCounted) return counted;
  return Math.max(counted, (await approvals.pendingKeys(tenant, maxWaiting)).length);
}

/** Describes the pending requests and their risks. */
export const waitingText = ({ waiting, by_risk, counted }: Digest): string => {
  if (waiting === 0) return 'No request is pending approval any longer';
  const risks = [...riskTiers].reverse().flatMap((tier) => (by_risk[tier] > 0 ? [`${by_risk[tier]} ${tier}`] : []));
  const ofOldest = counted < waiting ? ` of the oldest ${counted}` : '';
  return `${countText(waiting, 'request')} ${waiting === 1 ? 'is' : 'are'} pending approval (risk${ofOldest}: ${risks.join(', ')})`;
};
