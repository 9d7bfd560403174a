/** Decision results as callers see them. */
import { alternativeTo, answer, approvalRequired, blockedResult, denialOf, inReview } from '#core/actions/answers.ts';
import { secretRule } from '#core/actions/program-texts.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { Loose } from '../../support/loose.ts';
import { action, envelope, nowMs } from './sample.ts';

describe('answers', () => {
  const row: Loose = {
    envelope_id: 'a1',
    tool: 'scm.put',
    status: 'denied',
    queued_at: 'q',
    expires_at: 'x',
    reviewer: 'alice',
    person: 'carol',
    comment: '',
    decided_at: isoTime(nowMs),
  };

  test('an answer names the server if there is one', () => {
    expect(answer(action())).not.toHaveProperty('upstream');
    expect(answer(action({ envelope: { upstream: 'forge' } }))).toMatchObject({ upstream: 'forge', policy_version: 3 });
  });

  test('a block gives its reason or else its rule, and any sources that led to it', () => {
    const secret = { decision: 'block', matched_rule: secretRule };
    const plain = blockedResult(action({ decision: secret }));
    expect(plain.error).toMatchObject({
      message: 'scm.get on acme/web is blocked by policy p.',
      data: { reason: `Rule ${secretRule} of policy p blocks this call.` },
    });
    expect(plain).not.toHaveProperty('evidence_hash');
    expect(plain.error!.data).not.toHaveProperty('sources');
    const more = blockedResult(
      action({ decision: { ...secret, reason: 'no', provenance: { notes: [], lines: ['l'] } } }),
      'h',
    );
    expect(more).toMatchObject({ evidence_hash: 'h', error: { data: { reason: 'no', sources: ['l'] } } });
    expect(alternativeTo(secret, {} as never, envelope)).toContain('Pass secrets by reference');
    const risk = { decision: 'block', matched_rule: 'behavior:fan_out' } as const;
    expect(alternativeTo(risk, {} as never, envelope)).toContain('Ask a person to look at the session');
  });

  test('[action.block] a block suggests the alternative from the deciding rule, even for an effect', () => {
    const rule = { protocol: 'shell', tool: 'shell.rm', decision: 'block', suggested_alternative: 'git rm' } as Loose;
    expect(alternativeTo({ matched_rule: 'shell:shell.rm', rule }, {} as never, envelope)).toBe('git rm');
  });

  test('a denial includes the reviewer, a comment of limited length, and when to retry', () => {
    expect(denialOf({ ...row, denial_seconds: 60 })).toMatchObject({
      code: -32001,
      message: 'scm.put was denied by alice.',
      data: { reviewer: 'alice', denied_at: isoTime(nowMs), ask_again_after: isoTime(nowMs + 60_000) },
    });
    const commented = denialOf({ ...row, comment: 'c'.repeat(2_001), reviewer: undefined });
    expect(commented.message).toMatch(/^scm.put was denied by carol: c{2000}… \(1 more characters\)$/);
    const bare = denialOf({ ...row, reviewer: undefined, person: undefined, decided_at: undefined });
    expect(bare.message).toBe('scm.put was denied by the reviewer.');
    expect(bare.data).not.toHaveProperty('denied_at');
    expect(bare.data).not.toHaveProperty('ask_again_after');
    expect(bare.data.suggested_alternative).toBe(
      'Change the call as the reviewer says. The denial holds for the rest of this session.',
    );
  });

  test('a review says where the decision is made, and why an existing approval did not apply', () => {
    expect(approvalRequired(row, 'http://x')).toMatchObject({ message: "scm.put needs a human's approval." });
    expect(approvalRequired(row, 'http://x').data).not.toHaveProperty('reason');
    expect(approvalRequired(row, 'http://x').data).not.toHaveProperty('sources');
    const more = approvalRequired({ ...row, sources: ['s'] }, 'http://x', 'expired');
    expect(more).toMatchObject({
      message: expect.stringContaining('(expired: the earlier request timed out)'),
      data: { reason: 'expired', sources: ['s'] },
    });
    expect(inReview(action(), row, 'http://x')).not.toHaveProperty('evidence_hash');
    expect(inReview(action(), { ...row, evidence_hash: 'h' }, 'http://x')).toMatchObject({
      evidence_hash: 'h',
      envelope_id: 'a1',
    });
  });
});
