/** Progress of the archive check, stored as one row in the observations table [evidence.archive.cursor]. */
import type { ArchiveProgressStore } from '#core/evidence/archive-progress.ts';
import type { StoreOptions } from './store.ts';

/**
 * Key of the row. It cannot clash with a tenant's series, which begin with the tenant's id and therefore contain no
 * `@`.
 */
const key = { series: '@archive-check', at: 'progress' };

export const archiveProgressRow = ({ store }: StoreOptions): ArchiveProgressStore => ({
  async get() {
    const row = await store.get<{ progress: string }>('observations', key);
    try {
      return JSON.parse(row?.progress ?? 'null') as unknown;
    } catch {
      return undefined;
    }
  },
  async put(progress) {
    await store.put('observations', { ...key, progress: JSON.stringify(progress) });
  },
});
