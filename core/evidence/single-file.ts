/** A session as one HTML file: its report, its bundle, and the verifier that checks the one in the page against the other [evidence.single-file]. */
import type { EvidenceEntry, SessionManifest } from '#core/contracts/evidence.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { htmlReport } from './report-html.ts';
import { verifyBundle } from './verify.ts';

/**
 * @param bundle text of an exported bundle.
 * @param script the verifier, built for a page of its own.
 * @throws Error for a bundle that cannot be read, and for a script that would end its element.
 */
export async function* singleFile(bundle: string, script: string): AsyncIterable<string> {
  if (/<\/script|<!--/i.test(script)) throw new Error('the verifier cannot stand in a page');
  const { manifest, entries } = JSON.parse(bundle) as { manifest: SessionManifest; entries: readonly EvidenceEntry[] };
  const digest = Buffer.from(sha256(script), 'hex').toString('base64');
  const proof = {
    policy: `script-src 'sha256-${digest}'`,
    // In JSON the sign stands in texts alone, and there it may be written so: nothing in the bundle ends its element.
    parts: `<script type="application/json" id="bundle">${bundle.replaceAll('<', '\\u003c')}</script>\n<script>${script}</script>\n`,
  };
  yield* htmlReport(manifest, entries, await verifyBundle(bundle), proof);
}
