/** A session's export, kept outside the page's memory: its steps are read when they are displayed
 * [console.many-entries]. */
import type { SessionManifest } from '#core/contracts/evidence.ts';
import { bundlePieces } from '#core/evidence/bundle-pieces.ts';
import { blobBytes } from '../evidence/blob-bytes.ts';
import { type Entry, type ReplayState, Sums } from './replay.ts';

export interface RecordedStep {
  readonly entry: Entry;
  readonly standing: ReplayState;
}

export interface RecordedSession {
  /** The unchanged export. */
  readonly bundle: Blob;
  readonly manifest: SessionManifest;
  readonly total: number;
  readonly first: Entry;
  readonly last: Entry;
  /** Reads the steps from `from` up to, but not including, `to`. */
  steps(from: number, to: number): Promise<readonly RecordedStep[]>;
}

const pageEntries = 100;

/** Reads an export once, slice by slice. @throws GatewayError for text that is not a bundle. */
export async function recordedSession(bundle: Blob, signal: AbortSignal): Promise<RecordedSession> {
  const pages: Blob[] = [];
  const standings: ReplayState[] = [];
  const sums = new Sums();
  let texts: string[] = [];
  let manifest: SessionManifest | undefined;
  let [first, last]: (Entry | undefined)[] = [];
  const endPage = () => {
    pages.push(new Blob([`[${texts.join(',')}]`]));
    texts = [];
  };
  for await (const { key, text } of bundlePieces(bundleText(bundle, signal))) {
    if (key === 'manifest') manifest = JSON.parse(text) as SessionManifest;
    if (key !== undefined) continue;
    last = JSON.parse(text) as Entry;
    first ??= last;
    standings.push(sums.after(last));
    if (texts.push(text) === pageEntries) endPage();
  }
  endPage();
  if (!manifest || !first || !last) throw new Error('The export has no entry or no manifest.');
  const steps: RecordedSession['steps'] = async (from, to) => {
    const firstPage = Math.floor(from / pageEntries);
    const parts = await Promise.all(
      pages.slice(firstPage, Math.ceil(to / pageEntries)).map(async (page) => JSON.parse(await page.text()) as Entry[]),
    );
    const before = from - firstPage * pageEntries;
    const entries = parts.flat().slice(before, before + to - from);
    return entries.map((entry, at) => ({ entry, standing: standings[from + at]! }));
  };
  return { bundle, manifest, total: standings.length, first, last, steps };
}

async function* bundleText(bundle: Blob, signal: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of blobBytes(bundle)) {
    signal.throwIfAborted();
    yield decoder.decode(bytes, { stream: true });
  }
}

/** Returns the entries of one envelope, and does not keep any others. */
export async function entriesOf(bundle: Blob, envelope: string, signal: AbortSignal): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  for await (const { key, text } of bundlePieces(bundleText(bundle, signal))) {
    if (key !== undefined) continue;
    const entry = JSON.parse(text) as Entry;
    if (entry.envelope_id === envelope) found.push(entry);
  }
  return found;
}
