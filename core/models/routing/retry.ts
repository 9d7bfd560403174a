/** What a fault means for the rest of a route: stop, try again, or ask the next provider. Only ever before the first byte. */
import type { FaultKind, ProviderFault } from '#core/models/providers/ports.ts';
import type { CallOutcome } from './breaker.ts';

const baseMs = 200;
const capMs = 2_000;
/** A provider that wants longer is left for the next one. */
const longestWaitMs = 5_000;

/** Statuses about the caller's own request: every other provider would say the same. */
const ofTheRequest: ReadonlySet<number> = new Set([400, 413, 422]);

/** Whether no other provider can help. */
export const isFinal = ({ kind, status = 0, reason }: ProviderFault): boolean =>
  kind === 'aborted' || (kind === 'status' && ofTheRequest.has(status) && reason !== 'unfit');

/**
 * Milliseconds until the same provider may be asked again; undefined where it should not be. Full jitter, or what
 * `Retry-After` asks for. A provider that kept silent is not given the same time once more.
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

/** A provider's own time-out and a conflict of its own are faults of the moment, as the vendors' clients take them. */
const mayPass = (status: number): boolean => status >= 500 || status === 408 || status === 409 || status === 429;

/** What the breaker learns: limits and refusals are answers of a healthy provider. */
export function outcomeOf({ kind, status = 0, reason }: ProviderFault): CallOutcome {
  if (kind === 'aborted' || kind === 'unavailable' || reason === 'unfit') return 'nothing';
  return kind === 'status' && status < 500 ? 'success' : 'fault';
}

/** A fault as a word: an HTTP status, its reason where that says more, or its kind. */
export const errorType = ({ kind, status, reason }: ProviderFault): string =>
  reason === 'breaker_open' || reason === 'no_key'
    ? reason
    : kind === 'status' && status !== undefined
      ? String(status)
      : kind;

/** The more a fault tells the caller, the later it stands. */
const ranks: Readonly<Record<FaultKind, number>> = {
  unavailable: 0,
  unreachable: 2,
  garbage: 3,
  broken: 3,
  status: 4,
  timeout: 5,
  aborted: 8,
};

/** Of a provider that was passed over: above one that is switched off, below any that may answer the next time. */
const unfitRank = 1;

function rank(fault: ProviderFault): number {
  if (fault.reason === 'unfit') return unfitRank;
  if (fault.reason === 'breaker_open') return ranks.unreachable;
  if (isFinal(fault)) return 7;
  if (fault.kind !== 'status') return ranks[fault.kind];
  if (fault.status === 429) return 6;
  return isOverloaded(fault) || fault.reason === 'no_model' ? ranks.timeout : ranks.status;
}

/** The provider has too much to do: its 529 (Anthropic) or 503 (others). */
export const isOverloaded = ({ kind, status }: Pick<ProviderFault, 'kind' | 'status'>): boolean =>
  kind === 'status' && (status === 529 || status === 503);

/** Of several faults the one that tells most; the first of its rank. */
export const mostSpecificFault = (faults: readonly ProviderFault[]): ProviderFault | undefined =>
  faults.reduce<ProviderFault | undefined>(
    (best, fault) => (best && rank(best) >= rank(fault) ? best : fault),
    undefined,
  );
