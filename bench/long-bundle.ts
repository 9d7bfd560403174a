/** The exported bundle of a session with many entries, sealed and signed with the bench's own key. */
import { type KeyObject, sign } from 'node:crypto';
import { bundleFormat, type EntryDraft, type EvidenceEntry } from '#core/contracts/evidence.ts';
import { advanceHead, sealEntry } from '#core/evidence/chain.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { signedManifest } from '#core/evidence/sign.ts';

export async function longBundle(
  count: number,
  draft: (index: number) => EntryDraft,
  privateKey: KeyObject,
  public_key: string,
): Promise<string> {
  const entries: EvidenceEntry[] = [];
  let head: SessionHead | undefined;
  for (let index = 0; index < count; index++) {
    const entry = sealEntry(draft(index), head);
    head = advanceHead(head, entry);
    entries.push(entry);
  }
  const signer = {
    keyId: 'bench-key',
    sign: async (message: Uint8Array) => sign('sha256', message, privateKey).toString('base64'),
    publicKey: async () => public_key,
  };
  const store = { get: async () => undefined, put: async <T>(manifest: T) => manifest };
  const manifest = await signedManifest(head!, entries, signer, store);
  return JSON.stringify({ format: bundleFormat, manifest, entries, public_key });
}
