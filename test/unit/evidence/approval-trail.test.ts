/** Uses of approvals in a chain, compared with the votes before them. */
import type { EntryDraft } from '#core/contracts/evidence.ts';
import { verifyChain } from '#core/evidence/verify.ts';
import { draft, seal } from './sample.ts';

const id = '01890000-0000-7000-8000-00000000000a';
const [digest, other] = ['aa'.repeat(32), 'bb'.repeat(32)];
let second = 0;
const entry = (kind: EntryDraft['kind'], body: EntryDraft['body']): EntryDraft => draft(kind, body, ++second);

const review = entry('review', { call_digest: digest });
const approve = entry('approve', { approval_id: id, call_digest: digest });
const deny = entry('deny', { approval_id: id, call_digest: digest });
const use = entry('allow', { matched_rule: `approved:${id}`, protocol: 'git', call_digest: digest, approval_ref: id });
const chat = entry('chat', { matched_rule: `approved:${id}`, approval_ref: id });
const refusal = entry('block', { matched_rule: `denied:${id}`, protocol: 'git', call_digest: digest });
const result = entry('result', { outcome: 'executed', approval_ref: id });
const returned = entry('result', { outcome: 'not_executed', approval_ref: id, approval_returned: true });
const overOther = entry('approve', { approval_id: id, call_digest: other });

const verdict = async (drafts: readonly EntryDraft[]) => {
  const { entries, head } = seal(drafts);
  return verifyChain(entries, { head });
};

describe('[evidence.approval-proven] a chain is invalid, and the offending entry is named, if', () => {
  test.each([
    ['an approved call has no vote before it', [review, use], 1, 'no earlier approve entry'],
    ['the vote comes after its use', [review, use, approve], 1, 'no earlier approve entry'],
    ['the vote was a denial', [review, deny, use], 2, 'no earlier approve entry'],
    ['the vote is for another call', [review, overOther, use], 2, 'for another call'],
    ['one vote is used twice', [review, approve, use, result, use], 4, 'a second time'],
    ['a vote that was given back is used twice after that', [approve, use, returned, use, use], 4, 'a second time'],
    ['a denied call has no denial before it', [review, refusal], 1, 'no earlier deny entry'],
    ['a denied call was approved', [review, approve, refusal], 2, 'no earlier deny entry'],
    ['an approved chat has no vote before it', [review, chat], 1, 'no earlier approve entry'],
    ['an approved chat did not take its approval', [review, approve, chat], 2, 'not used for it'],
  ])('%s', async (_, drafts, index, reason) => {
    const { valid, broken_link } = await verdict(drafts);
    expect({ valid, broken_link }).toEqual({
      valid: false,
      broken_link: { index, reason: expect.stringContaining(reason) },
    });
  });
});

test.each([
  ['an approved call', [review, approve, use, result]],
  ['an approval that was given back and used again', [review, approve, use, returned, use, result]],
  ['an approved chat', [review, approve, use, chat]],
  ['a denied call', [review, deny, refusal, refusal]],
  ['a rule for a protocol of that name', [entry('allow', { matched_rule: 'approved:x', protocol: 'approved' })]],
])('[evidence.approval-proven] %s is valid', async (_, drafts) => {
  expect(await verdict(drafts)).toMatchObject({ valid: true });
});
