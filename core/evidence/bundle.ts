/** Streams a session's export as one JSON document without ever keeping the whole session in memory. */
import {
  bundleFormat,
  type KeySuccession,
  type SessionCheckpoint,
  type SessionManifest,
} from '#core/contracts/evidence.ts';
import type { LogProof } from '#core/contracts/transparency.ts';
import { type StoredEntry, UnreadableEntry } from './entry-text.ts';

const chunkCharacters = 64 * 1024;

/** Proofs that third parties check in addition to the chain and manifest. */
interface BundleProofs {
  /** The session's newest checkpoint at or before the manifest's last entry. */
  readonly checkpoint?: SessionCheckpoint | undefined;
  readonly successions?: readonly KeySuccession[];
  readonly log_proof?: LogProof | undefined;
}

/**
 * Yields the bundle's text in pieces. Leaves out entries after the manifest's last one, since the session may grow
 * during the export. A row that is not an entry is exported as stored, and verification reports it as the broken link.
 * If the source fails midway, the document stays incomplete and no parser accepts it.
 * @param publicKey PEM of the key named by `manifest.signature.key_id`. After a rotation this is not the newest key.
 */
export async function* bundleChunks(
  manifest: SessionManifest,
  entries: AsyncIterable<StoredEntry>,
  publicKey: string,
  { checkpoint, successions = [], log_proof }: BundleProofs = {},
): AsyncIterable<string> {
  let text = `{"format":${JSON.stringify(bundleFormat)},\n"manifest":${JSON.stringify(manifest)},\n"entries":[`;
  let separator = '\n';
  for await (const entry of firstEntries(entries, manifest.total_entries)) {
    text += separator + JSON.stringify(entry instanceof UnreadableEntry ? entry.stored : entry);
    separator = ',\n';
    if (text.length >= chunkCharacters) {
      yield text;
      text = '';
    }
  }
  const member = (name: string, value: unknown) => `\n"${name}":${JSON.stringify(value)},`;
  const proofs = [
    checkpoint === undefined ? '' : member('checkpoint', checkpoint),
    log_proof === undefined ? '' : member('log_proof', log_proof),
    successions.length === 0 ? '' : member('successions', successions),
  ].join('');
  yield `${text}\n],${proofs}\n"public_key":${JSON.stringify(publicKey)}}\n`;
}

/** Yields the first `count` entries of a chain that may be growing, then closes the source. */
export async function* firstEntries<T>(entries: AsyncIterable<T> | Iterable<T>, count: number): AsyncIterable<T> {
  if (count <= 0) return;
  let left = count;
  for await (const entry of entries) {
    yield entry;
    if (--left === 0) return;
  }
}
