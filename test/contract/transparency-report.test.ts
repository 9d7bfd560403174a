/** Reports of a session that is in the transparency log: proof, witnesses, and a chain that departs from what was logged. */

import { markdownReport } from '#core/evidence/report.ts';
import { htmlReport } from '#core/evidence/report-html.ts';
import { withLog } from '#core/evidence/report-log.ts';
import { openCheckpoint } from '#core/evidence/transparency/checkpoint-note.ts';
import { leafBytes } from '#core/evidence/transparency/leaf.ts';
import { keysOfLog } from '#core/evidence/transparency/note.ts';
import { rootOfInclusion } from '#core/evidence/transparency/proofs.ts';
import { leafHash } from '#core/evidence/transparency/tree.ts';
import { verifyChain } from '#core/evidence/verify.ts';
import { pointOf, type TestLog, testLog } from '../support/transparency.ts';
import { Watcher } from '../support/watcher.ts';
import { drafts, sealedSession, textOf } from '../unit/evidence/sample.ts';

let kept: TestLog;
let auditor: Watcher;
beforeEach(async () => {
  kept = await testLog();
  kept.time.ms = Date.UTC(2026, 0, 2, 3, 5);
  auditor = new Watcher(await kept.signer('default'));
});
afterEach(() => kept.stop());

async function reported(witnesses = [auditor.signer], tampered = false) {
  const { manifest, entries } = await sealedSession(drafts);
  const log = kept.opened();
  const { tenant, session_id, index, hash } = entries.at(-1)!;
  await log.append([pointOf('other', 0), { tenant, session_id, index, hash: tampered ? 'f'.repeat(64) : hash }]);
  await auditor.look(log, kept.time.ms + 60_000);
  await log.append([pointOf('later', 0)]);
  const proof = (await log.proof(tenant, session_id))!;
  const trust = { log: keysOfLog(await kept.signer('default')), witnesses };
  const chain = await verifyChain(entries, { manifest });
  const verification = withLog(chain, { tenant, session_id }, proof, entries[proof.leaf.index]?.hash, trust);
  return {
    ...{ verification, proof },
    markdown: await textOf(markdownReport(manifest, entries, verification, proof)),
    html: await textOf(htmlReport(manifest, entries, verification, undefined, proof)),
  };
}

describe('[transparency.report] a report', () => {
  test('shows leaf, proof and cosigned checkpoint, from which a reader computes the signed root', async () => {
    const { markdown, html, verification, proof } = await reported();
    expect(verification.valid).toBe(true);
    const leaf = leafHash(leafBytes(proof.leaf));
    for (const text of [markdown, html]) {
      expect(text).toContain('Transparency log');
      expect(text).toContain('entries 0 to 4 are leaf 1 of 3');
      expect(text).toContain('auditor cosigned 2 leaves at 2026-01-02T03:06:00.000Z');
      expect(text).toContain(leaf.toString('hex'));
      for (const hash of proof.path) expect(text).toContain(hash);
    }
    const shown = /Checkpoint:\n\n```json\n([\s\S]*?)\n```/.exec(markdown)![1]!;
    const head = openCheckpoint(`${shown}\n`, await kept.signer('default'));
    if (typeof head === 'string') throw new Error(head);
    const path = proof.path.map((hash) => Buffer.from(hash, 'base64'));
    expect(rootOfInclusion(leaf, 1, head.size, path)).toEqual(head.root);
    expect(html).not.toMatch(/<script/);
  });

  test('of a chain that departs from the log says broken first, with the entry', async () => {
    const { markdown, html } = await reported([], true);
    expect(markdown).toMatch(
      /^# Session s-1\n\n> \*\*INVALID\.\*\* The chain is broken at entry 4: the entry is not the one/,
    );
    expect(html).toContain('<strong>Invalid.</strong>');
  });
});
