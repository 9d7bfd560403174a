/**
 * The record of what a session has seen: written as results arrive, read when a rule checks sources
 * [provenance.session].
 */
import { trusted } from '#core/contracts/provenance.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Clock, Ids } from '#core/kernel/ports.ts';
import { digestsOf, seenOf } from './digests.ts';
import type { ProvenanceStore, SeenEntry, SessionName } from './ports.ts';
import { formsOfValue } from './texts-of.ts';
import type { SeenBySession } from './trace.ts';

export interface RecordPorts {
  readonly provenance: ProvenanceStore;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Limit per record, which is read for one decision: 256 kB. */
const maxDigests = 32 * 1024;

/**
 * Returns what a session has seen.
 * @param isNew whether the session has no actions yet: one with actions and without a record has gaps.
 * @throws GatewayError `service_unavailable`.
 */
export async function recall(
  { provenance, clock }: RecordPorts,
  name: SessionName,
  isNew: () => Promise<boolean>,
): Promise<SeenBySession> {
  const found = await provenance.recall(name, clock.now());
  if (!found) return { seen: [], complete: await isNew() };
  return { seen: seenOf(found), complete: !found.gap };
}

/**
 * Adds a text or result, once per id. An entry that does not fit is recorded as a gap, except the person's words:
 * without them, fewer values are trusted.
 * @throws GatewayError `service_unavailable`.
 */
export async function remember(
  { provenance, clock, ids }: RecordPorts,
  name: SessionName,
  entry: Omit<SeenEntry, 'digests'>,
  value: unknown,
  keptSeconds: number,
): Promise<void> {
  const { forms, gap } = formsOfValue(value);
  if (forms.size === 0 && !gap) return;
  const now = clock.now();
  const { key, digests: before } = await provenance.open(name, ids.randomHex(16), now, keptSeconds);
  const fits = before + forms.size <= maxDigests;
  const isNew = fits && (await provenance.put(name, { ...entry, digests: digestsOf(forms, key) }, now, keptSeconds));
  const missing = (gap || !fits) && entry.label !== trusted;
  if (isNew || missing)
    await provenance.grow(name, { digests: isNew ? forms.size : 0, gap: missing }, now, keptSeconds);
}

/**
 * Returns the error for a result that could not be recorded. It is withheld, since rules on its source could not
 * recognise it.
 */
export const withheldResult = (tool: string, cause: unknown): GatewayError =>
  new GatewayError(
    'service_unavailable',
    `${tool} was carried out, and its result is withheld: the store of what this session has seen did not answer. Do not repeat the call for it.`,
    { cause, data: { tool, outcome: 'executed', reason: 'provenance' } },
  );
