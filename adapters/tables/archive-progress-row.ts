/** Progress of the archive check, stored as one row in the observations table [evidence.archive.cursor]. */
import type { ArchiveProgressStore } from '#core/evidence/archive-progress.ts';
import type { StoreOptions } from './store.ts';

/** A tenant's series begin with the tenant's id, which contains no `@`. */
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
