/** Checks that a single HTML file shows the contents of its bundle, by comparing it with a new report [evidence.single-file]. */
import './no-eval.ts';
import type { EvidenceEntry, SessionManifest, Verification } from '#core/contracts/evidence.ts';
import { htmlReport } from '#core/evidence/report-html.ts';

/** Copy of the page when its script starts. Later the reader folds actions, and browser extensions add content. */
const report = document.querySelector('main')?.cloneNode(true);
const style = document.querySelector('style')?.textContent;
const beside = [...document.body.children].filter(({ localName }) => localName !== 'main' && localName !== 'script');

/** @param verification the verification of the bundle without keys, with which the file was written. */
export async function isShown(bundle: string, verification: Verification): Promise<boolean> {
  const { manifest, entries } = JSON.parse(bundle) as { manifest: SessionManifest; entries: readonly EvidenceEntry[] };
  let html = '';
  const proof = { policy: '', parts: '' };
  for await (const piece of htmlReport(manifest, entries, verification, proof)) html += piece;
  const written = new DOMParser().parseFromString(html, 'text/html');
  return (
    beside.length === 0 &&
    style === written.querySelector('style')?.textContent &&
    report?.isEqualNode(written.querySelector('main')) === true
  );
}
