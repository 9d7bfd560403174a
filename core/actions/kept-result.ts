/**
 * Stores results: small ones in the entry and its approval, larger ones in the object store, referenced by digest and
 * size. The outcome is recorded even if the result cannot be stored.
 */
import type { KeptResult } from '#core/contracts/approval.ts';
import type { DecisionResult } from '#core/contracts/envelope.ts';
import { canonicalize, sha256 } from '#core/kernel/canonical.ts';
import type { ObjectStore, Telemetry } from '#core/kernel/ports.ts';

export const resultSizes = {
  /** Canonical JSON up to this many bytes is stored in the entry and the approval. */
  inlineBytes: 32 * 1024,
  /**
   * Maximum size of a result in a response: API Gateway allows 6 MiB, and wrapping at worst doubles quotes and
   * backslashes.
   */
  answeredBytes: 2 * 1024 * 1024,
} as const;

interface Stores {
  readonly results: ObjectStore;
  readonly telemetry: Pick<Telemetry, 'log'>;
}

/**
 * Stores a large result before its outcome is committed. Never throws: a result that cannot be stored is withheld with
 * a reason.
 * @param result without secrets; undefined if the call returned no result.
 */
export async function keepResult({ results, telemetry }: Stores, result: unknown): Promise<KeptResult> {
  if (result === undefined) return {};
  let text: string;
  try {
    text = canonicalize(result);
  } catch {
    return { result_withheld: 'not_json' }; // lone surrogates, numbers outside the range of a double
  }
  const bytes = Buffer.from(text);
  if (bytes.length <= resultSizes.inlineBytes) return { result };
  const reference = { result_sha256: sha256(bytes), result_bytes: bytes.length };
  try {
    await results.put(bytes);
    return reference;
  } catch (fault) {
    telemetry.log('error', 'a large result was not stored', { ...reference, error: (fault as Error).name });
    return { ...reference, result_withheld: 'store_unavailable' };
  }
}

/** A result in a response: in full if available, otherwise with the reason why it is missing. */
export type ShownResult = Pick<DecisionResult, 'result' | 'result_sha256' | 'result_bytes' | 'result_withheld'>;

/** Returns the response members for a new result and its stored form. */
export function shownResult(result: unknown, kept: KeptResult): ShownResult {
  const { result_sha256, result_bytes = 0 } = kept;
  if (result_sha256 === undefined) return pick(kept);
  if (result_bytes > resultSizes.answeredBytes) return { result_withheld: 'too_large', ...pick(kept) };
  // The caller gets the result even if it could not be stored.
  const { result_withheld: _, ...reference } = pick(kept);
  return { ...reference, result };
}

const pick = ({ result, result_sha256, result_bytes, result_withheld }: KeptResult): ShownResult => ({
  ...(result !== undefined && { result }),
  ...(result_sha256 !== undefined && { result_sha256 }),
  ...(result_bytes !== undefined && { result_bytes }),
  ...(result_withheld !== undefined && { result_withheld }),
});

/**
 * Reads a call's stored result. Never throws.
 * @param maxBytes larger results are referenced, not read.
 */
export async function readResult(
  { results, telemetry }: Stores,
  kept: KeptResult,
  maxBytes: number = resultSizes.answeredBytes,
): Promise<ShownResult> {
  const { result_sha256, result_bytes } = kept;
  const present = kept.result !== undefined || kept.result_withheld !== undefined;
  if (present || result_sha256 === undefined || result_bytes === undefined) return pick(kept);
  const reference = { result_sha256, result_bytes };
  if (result_bytes > maxBytes) return { ...reference, result_withheld: 'too_large' };
  try {
    const bytes = await results.get(result_sha256);
    if (!bytes) return { ...reference, result_withheld: 'gone' };
    return { ...reference, result: JSON.parse(Buffer.from(bytes).toString('utf8')) };
  } catch (fault) {
    telemetry.log('error', 'a stored result was not read', { ...reference, error: (fault as Error).name });
    return { ...reference, result_withheld: 'store_unavailable' };
  }
}
