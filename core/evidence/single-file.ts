/**
 * A session as one HTML file: the report, the bundle, and a verifier that checks the bundle within the page
 * [evidence.single-file].
 */
import type { EvidenceEntry, SessionManifest } from '#core/contracts/evidence.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { htmlReport } from './report-html.ts';
import { verifyBundle } from './verify.ts';

/**
 * Yields the HTML file in pieces.
 * @param bundle text of an exported bundle.
 * @param script the verifier, built for use in a standalone page.
 * @throws Error for an unreadable bundle, and for a script that would close its own script element.
 */
export async function* singleFile(bundle: string, script: string): AsyncIterable<string> {
  if (/<\/script|<!--/i.test(script)) throw new Error('the verifier contains text that cannot be embedded in a page');
  const { manifest, entries } = JSON.parse(bundle) as { manifest: SessionManifest; entries: readonly EvidenceEntry[] };
  const digest = Buffer.from(sha256(script), 'hex').toString('base64');
  const proof = {
    policy: `script-src 'sha256-${digest}'`,
    // In JSON, `<` occurs only in strings and can be escaped there, so that text in the bundle cannot end the element.
    parts: `<script type="application/json" id="bundle">${bundle.replaceAll('<', '\\u003c')}</script>\n<script>${script}</script>\n`,
  };
  yield* htmlReport(manifest, entries, await verifyBundle(bundle), proof);
}
