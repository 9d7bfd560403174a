/**
 * The record of values that a session has seen. It is written as results arrive, and read when a rule checks sources
 * [provenance.session].
 */
import { hash } from 'node:crypto';
import { trusted } from '#core/contracts/provenance.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Clock, Ids } from '#core/kernel/ports.ts';
import type { SessionName } from '#core/session/value-tracer.ts';
import type { ProvenanceStore, SeenEntry, SessionSeen } from './ports.ts';
import { formsOfValue } from './texts-of.ts';
import type { SeenText, SessionTexts } from './trace.ts';

export interface RecordPorts {
  readonly provenance: ProvenanceStore;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Size limit per record: 256 kB, because a decision reads the whole record. */
const maxDigests = 32 * 1024;

/**
 * Returns the values that a session has seen.
 * @param isNew whether the session has no actions yet; a session with actions but no record has gaps.
 * @throws GatewayError `service_unavailable`.
 */
export async function recall(
  { provenance, clock }: RecordPorts,
  name: SessionName,
  isNew: () => Promise<boolean>,
): Promise<SessionTexts> {
  const found = await provenance.recall(name, clock.now());
  if (!found) return { seen: [], complete: await isNew() };
  return { seen: seenOf(found), complete: !found.gap };
}

/**
 * Adds a message or result, once per id. An entry that does not fit is recorded as a gap, unless it contains the
 * person's words: if those are missing, fewer values are trusted.
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
 * Returns the error for a result that could not be recorded. The result is withheld, since rules on its source could
 * not recognise its values.
 */
export const withheldResult = (tool: string, cause: unknown): GatewayError =>
  new GatewayError(
    'service_unavailable',
    `${tool} was executed, but its result is withheld because the store of values that this session has seen did not respond. Do not repeat the call to get the result.`,
    { cause, data: { tool, outcome: 'executed', reason: 'provenance' } },
  );

const digestOf = (key: string, form: string): bigint => hash('sha256', `${key}\n${form}`, 'buffer').readBigUInt64BE(0);

/** Stores forms as keyed 8-byte digests, sorted in one array for binary search [provenance.session]. */
export function digestsOf(forms: Iterable<string>, key: string): Uint8Array {
  const sorted = BigUint64Array.from(Array.from(forms, (form) => digestOf(key, form))).sort();
  const bytes = Buffer.alloc(sorted.length * 8);
  for (const [at, digest] of sorted.entries()) bytes.writeBigUInt64BE(digest, at * 8);
  return bytes;
}

/** Returns the entries as searchable text. Each form is digested once for all entries. */
export function seenOf({ key, entries }: SessionSeen): SeenText[] {
  const known = new Map<string, bigint>();
  const digest = (form: string): bigint => {
    const found = known.get(form) ?? digestOf(key, form);
    known.set(form, found);
    return found;
  };
  return entries.map(({ label, server, action, digests }: SeenEntry) => {
    const sorted = readSorted(digests);
    return {
      label,
      ...(server !== undefined && { server }),
      ...(action !== undefined && { action }),
      has: (form) => isIn(sorted, digest(form)),
    };
  });
}

function readSorted(bytes: Uint8Array): BigUint64Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return BigUint64Array.from({ length: Math.floor(bytes.length / 8) }, (_none, at) => buffer.readBigUInt64BE(at * 8));
}

function isIn(sorted: BigUint64Array, wanted: bigint): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === wanted;
}
