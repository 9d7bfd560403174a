/** Comments on pull requests: each shows every value of the call in full, or does not offer approval. */
import fc from 'fast-check';
import { runs } from '../../../test/support/extent.ts';
import { hostileCalls, missing } from '../../../test/support/hostile-calls.ts';
import { sampleRow } from '../../../test/unit/approvals/notifications/sample.ts';
import { isWholeInComment, pullRequestComment } from '../pull-request-comment.ts';

const link = 'https://gateway.example';
const sha = 'a'.repeat(40);

test('[approval.whole-or-deny] a pull request comment either shows every value in full or does not offer /approve', () => {
  fc.assert(
    fc.property(hostileCalls, (over) => {
      const row = sampleRow(over);
      const comment = pullRequestComment(row, sha, link);
      const isOffered = comment.includes(`\n- \`/approve ${row.envelope_id}`) || comment.includes(`\n\n- \`/approve`);
      expect(comment.length).toBeLessThanOrEqual(65_536);
      expect(isWholeInComment(row, sha, link)).toBe(isOffered);
      if (isOffered) expect(missing(row, comment)).toEqual([]);
    }),
    { numRuns: runs(200, 40) },
  );
});
