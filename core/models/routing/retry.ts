/** Determines the next step after a fault before the first byte: stop, retry, or call the next provider. */
import type { FaultKind, ProviderFault } from '#core/models/providers/ports.ts';
import type { CallOutcome } from './breaker.ts';

const baseMs = 200;
const capMs = 2_000;
/** Maximum wait before a retry. If a provider asks for a longer one, the next provider is called. */
const longestWaitMs = 5_000;

/** Statuses about the caller's own request, which every other provider would also return. */
const ofTheRequest: ReadonlySet<number> = new Set([400, 413, 422]);

/** Checks whether a fault is final because no other provider can help. */
export const isFinal = ({ kind, status = 0, reason }: ProviderFault): boolean =>
  kind === 'aborted' || (kind === 'status' && ofTheRequest.has(status) && reason !== 'unfit');

/**
 * Returns the milliseconds until the same provider may be retried, with full jitter or based on `Retry-After`, or
 * undefined if it should not be retried. A provider that timed out is not retried.
 * @param attempt 1 for the first.
 */
export function retryDelayMs(fault: ProviderFault, attempt: number, random: () => number): number | undefined {
  const { kind, status = 0, retryAfterSeconds, reason } = fault;
  const passes = kind === 'unreachable' || kind === 'broken' || (kind === 'status' && mayPass(status));
  if (!passes || reason === 'quota') return undefined;
  if (retryAfterSeconds === undefined) return random() * Math.min(capMs, baseMs * 2 ** (attempt - 1));
  const ms = retryAfterSeconds * 1000;
  return ms <= longestWaitMs ? ms : undefined;
}

/** Checks whether a status is temporary: vendors' clients also retry timeouts and conflicts at the provider. */
const mayPass = (status: number): boolean => status >= 500 || status === 408 || status === 409 || status === 429;

/** Returns the outcome for the breaker: limits and refusals are responses from a healthy provider. */
export function breakerOutcome({ kind, status = 0, reason }: ProviderFault): CallOutcome {
  if (kind === 'aborted' || kind === 'unavailable' || reason === 'unfit') return 'nothing';
  return kind === 'status' && status < 500 ? 'success' : 'fault';
}

/** Returns a short label for a fault: an HTTP status, a more specific reason, or its kind. */
export const errorType = ({ kind, status, reason }: ProviderFault): string =>
  reason === 'breaker_open' || reason === 'no_key'
    ? reason
    : kind === 'status' && status !== undefined
      ? String(status)
      : kind;

/** Fault ranks: the more specific a fault is for the caller, the higher its rank. */
const ranks: Readonly<Record<FaultKind, number>> = {
  unavailable: 0,
  unreachable: 2,
  garbage: 3,
  broken: 3,
  status: 4,
  timeout: 5,
  aborted: 8,
};

/** Rank of a provider that was skipped: above a disabled one, below any that may respond next time. */
const unfitRank = 1;

function rank(fault: ProviderFault): number {
  if (fault.reason === 'unfit') return unfitRank;
  if (fault.reason === 'breaker_open') return ranks.unreachable;
  if (isFinal(fault)) return 7;
  if (fault.kind !== 'status') return ranks[fault.kind];
  if (fault.status === 429) return 6;
  return isOverloaded(fault) || fault.reason === 'no_model' ? ranks.timeout : ranks.status;
}

/** Checks whether a provider is overloaded: 529 (Anthropic) or 503 (others). */
export const isOverloaded = ({ kind, status }: Pick<ProviderFault, 'kind' | 'status'>): boolean =>
  kind === 'status' && (status === 529 || status === 503);

/** Returns the most specific fault, or the first of them if several have the same rank. */
export const mostSpecificFault = (faults: readonly ProviderFault[]): ProviderFault | undefined =>
  faults.reduce<ProviderFault | undefined>(
    (best, fault) => (best && rank(best) >= rank(fault) ? best : fault),
    undefined,
  );
