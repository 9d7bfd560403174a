/** Whether a single HTML file shows what its bundle holds: its report is written once more and compared [evidence.single-file]. */
import './no-eval.ts';
import type { EvidenceEntry, SessionManifest } from '#core/contracts/evidence.ts';
import { htmlReport } from '#core/evidence/report-html.ts';
import { verifyBundle } from '#core/evidence/verify.ts';

/** What stands on the page while its script begins: later its reader folds actions, and extensions of the browser add their own. */
const report = document.querySelector('main')?.cloneNode(true);
const style = document.querySelector('style')?.textContent;
const beside = [...document.body.children].filter(({ localName }) => localName !== 'main' && localName !== 'script');

/** The file was written with a verdict without keys. */
export async function isShown(bundle: string): Promise<boolean> {
  const { manifest, entries } = JSON.parse(bundle) as { manifest: SessionManifest; entries: readonly EvidenceEntry[] };
  let html = '';
  const proof = { policy: '', parts: '' };
  for await (const piece of htmlReport(manifest, entries, await verifyBundle(bundle), proof)) html += piece;
  const written = new DOMParser().parseFromString(html, 'text/html');
  return (
    beside.length === 0 &&
    style === written.querySelector('style')?.textContent &&
    report?.isEqualNode(written.querySelector('main')) === true
  );
}
