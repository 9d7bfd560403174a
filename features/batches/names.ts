/**
 * Ids of files and batches for callers. The ids of result files are derived from the batch, so that no write is needed
 * to read results.
 */
import type { Thing } from '#core/kernel/not-found.ts';
import type { Ids } from '#core/kernel/ports.ts';

/** Kinds of stored rows, as error messages name them. */
export const things = {
  batch: { noun: 'batch', list: 'GET /v1/batches' },
  file: { noun: 'file', list: 'GET /v1/files' },
} as const satisfies Record<string, Thing>;

const pattern = /^(?:file-[0-9a-f]{32}|batch_[0-9a-f]{32})$/;
const resultPattern = /^file-([0-9a-f]{32})-(output|error)$/;

/** Returns a new id in hex. Version 7 ids begin with a timestamp, so they sort in order of creation. */
const hexOf = (ids: Pick<Ids, 'uuid'>): string => ids.uuid().replaceAll('-', '');

export const newFileId = (ids: Pick<Ids, 'uuid'>): string => `file-${hexOf(ids)}`;
export const newBatchId = (ids: Pick<Ids, 'uuid'>): string => `batch_${hexOf(ids)}`;

export const isOwnId = (id: string): boolean => pattern.test(id);

type ResultKind = 'output' | 'error';

export const resultFileId = (batchId: string, kind: ResultKind): string =>
  `file-${batchId.slice('batch_'.length)}-${kind}`;

/** Returns the batch whose results the file contains, or undefined for any other id. */
export function parseResultFileId(fileId: string): { readonly batch: string; readonly kind: ResultKind } | undefined {
  const [, hex, kind] = resultPattern.exec(fileId) ?? [];
  return hex === undefined ? undefined : { batch: `batch_${hex}`, kind: kind as ResultKind };
}
