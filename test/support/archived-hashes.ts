/** The hashes of a session's archived copies by index, for tests that read a small archive as a whole. */
import type { ArchiveReader } from '#core/evidence/ports.ts';

export async function archivedHashes(archive: ArchiveReader, tenant: string, session: string) {
  const found = new Map<number, readonly string[]>();
  for await (const { index, hashes } of archive.hashes(tenant, session)) found.set(index, hashes);
  return found;
}
