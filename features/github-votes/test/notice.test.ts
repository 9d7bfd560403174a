/** The question and text digests to which pull-request comment approvals are bound. */
import { noticeOf, questionDigest, receiptOf, textDigest } from '../notice.ts';

describe('[pr-comment.voter] a question’s digest', () => {
  const [sha, other] = ['a'.repeat(40), 'b'.repeat(40)];

  test('changes with the call and with the commit', () => {
    const digest = questionDigest({ call_digest: '1'.repeat(64) }, sha);
    expect(digest).toBe('66cdf7724ddc');
    expect(questionDigest({ call_digest: '2'.repeat(64) }, sha)).not.toBe(digest);
    expect(questionDigest({ call_digest: '1'.repeat(64) }, other)).not.toBe(digest);
  });

  test('a receipt contains the data that a later delivery and a vote need', () => {
    const notice = {
      at: { repository: 'acme/web', number: 7 },
      comment_id: '12',
      head_sha: sha,
      text_sha256: textDigest('a'),
    };
    expect(noticeOf(receiptOf(notice))).toEqual(notice);
    expect(noticeOf(undefined)).toBeUndefined();
    expect(noticeOf({ ts: '1.0', channel: 'C1' })).toBeUndefined();
  });

  test('[pr-comment.voter] text has the same digest whatever line endings the host uses, and different text has a different digest', () => {
    expect(textDigest('a\nb\n')).toBe(textDigest('a\r\nb'));
    expect(textDigest('a\nb')).not.toBe(textDigest('a b'));
  });
});
