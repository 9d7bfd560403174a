/**
 * What is kept of a result: a small one stands in the entry and in its approval, a larger one goes to the
 * object store and both name it by digest and size. Whatever becomes of the result, the outcome is recorded.
 */
import type { KeptResult } from '#core/contracts/approval.ts';
import type { DecisionResult } from '#core/contracts/envelope.ts';
import { canonicalize, sha256 } from '#core/kernel/canonical.ts';
import type { ObjectStore, Telemetry } from '#core/kernel/ports.ts';

export const resultSizes = {
  /** Canonical JSON up to this many bytes stands in the entry and the approval. */
  inlineBytes: 32 * 1024,
  /** What an answer carries at most: API Gateway takes 6 MiB, and wrapping doubles quotes and backslashes at worst. */
  answeredBytes: 2 * 1024 * 1024,
} as const;

interface Stores {
  readonly results: ObjectStore;
  readonly telemetry: Pick<Telemetry, 'log'>;
}

/**
 * Puts a large result away before its outcome is committed. Never throws: what cannot be kept is withheld with a reason.
 * @param result without secrets; undefined for a call that gave nothing back.
 */
export async function keepResult({ results, telemetry }: Stores, result: unknown): Promise<KeptResult> {
  if (result === undefined) return {};
  let text: string;
  try {
    text = canonicalize(result);
  } catch {
    return { result_withheld: 'not_json' }; // lone surrogates, numbers beyond every double
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

/** A result as an answer carries it: in full where it is at hand, else with the reason why it is missing. */
export type ShownResult = Pick<DecisionResult, 'result' | 'result_sha256' | 'result_bytes' | 'result_withheld'>;

/** What an answer shows of a result that has just come in and was kept so. */
export function shownResult(result: unknown, kept: KeptResult): ShownResult {
  const { result_sha256, result_bytes = 0 } = kept;
  if (result_sha256 === undefined) return pick(kept);
  if (result_bytes > resultSizes.answeredBytes) return { result_withheld: 'too_large', ...pick(kept) };
  // The waiter gets it, stored or not.
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
 * Reads the stored result of a call. Never throws.
 * @param maxBytes larger ones are named, not read.
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
