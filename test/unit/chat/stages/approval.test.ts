/** A chat call that waits for a human: queued once, answered as its caller reads it, let through once. */
import type { ApprovedCall, Finished } from '#core/chat/call-stages.ts';
import { awaitApproval } from '#core/chat/stages/approval.ts';
import { failureOf, keptAnswer, stageSetting } from '../../../support/chat-stages.ts';
import { openGateways } from '../../../support/governing.ts';

const openGateway = openGateways();
const inputVerdict = { decision: 'review', matched_rule: 'content:ask', findings: [] } as const;
const setting = async (mode = 'status_202') => {
  const [gateway, stage] = await Promise.all([openGateway(), stageSetting(`approvals: { chat_review: ${mode} }`)]);
  const { ports } = gateway;
  const ask = async (body = {}, request = {}, over = {}) => {
    const { answering, kept } = keptAnswer();
    const screened = { ...stage.screened(body, request), inputVerdict };
    const call = { ...screened, call: { ...screened.call, envelopeId: crypto.randomUUID() } };
    const result = awaitApproval({ ...stage.ports, ...ports, ...over } as never, call, answering);
    return { kept, result, id: call.call.envelopeId };
  };
  return { ...gateway, ask };
};
const isEnd = (result: ApprovedCall | Finished): result is Finished => 'ending' in result;

test('[chat.review-202] a review ends the call with 202 and the address of its approval', async () => {
  const { ask, row } = await setting();
  const { kept, result, id } = await ask();
  const finished = await result;
  expect(isEnd(finished) && finished.ending).toMatchObject({ outcome: 'review', error: undefined });
  expect(kept.json).toMatchObject({
    status: 202,
    body: { status: 'pending_approval', envelope_id: id, approval_url: expect.stringContaining(id) },
  });
  expect(await row(id)).toMatchObject({ status: 'pending' });
});

test('[chat.review-202] a client library that reads a stream gets an error event', async () => {
  const { ask } = await setting();
  const { kept, result } = await ask({ stream: true }, { readsEvents: true });
  await result;
  expect(kept.json).toBeUndefined();
  expect(JSON.stringify(kept.events)).toContain('needs approval');
});

test('[chat.review-error] as an error it says not to repeat the call at once', async () => {
  const { ask } = await setting('error_409');
  const { code, ending } = await failureOf((await ask()).result);
  expect(code).toBe('conflict');
  expect(ending).toMatchObject({ outcome: 'review', headers: { 'x-should-retry': 'false' } });
});

test('[chat.review-once] an approved call goes on with its approval, once; the next one waits again', async () => {
  const { ask, vote, row } = await setting();
  const { id, result } = await ask();
  await result;
  await vote(id, 'approve');
  const second = await (await ask()).result;
  if (isEnd(second)) throw new Error('it was not let through');
  expect(second.approval).toMatchObject({
    id,
    matchedRule: `approved:${id}`,
    head: { total_entries: expect.any(Number) },
  });
  expect(await row(id)).toMatchObject({ status: 'executing' });
  expect(isEnd(await (await ask()).result)).toBe(true);
});

test('[chat.review-once] an approval that was taken is known also where the session cannot be read again', async () => {
  const { ask, vote, ports } = await setting();
  const { id, result } = await ask();
  await result;
  await vote(id, 'approve');
  let reads = 0;
  const head: typeof ports.evidence.head = (...of) =>
    ++reads > 0 && of[1] === 's-1' ? Promise.reject(new Error('no store')) : ports.evidence.head(...of);
  const { known, ending } = await failureOf((await ask({}, {}, { evidence: { ...ports.evidence, head } })).result);
  expect(ending.outcome).toBe('failed');
  expect(known.approval).toMatchObject({ id, head: null });
});

test('[chat.review-once] a call that was denied is refused with the words of the reviewer', async () => {
  const { ask, vote } = await setting();
  const { id, result } = await ask();
  await result;
  await vote(id, 'deny', 'not today');
  const { ending, message } = await failureOf((await ask()).result);
  expect(message).toContain('not today');
  expect(ending).toMatchObject({ outcome: 'blocked', error: 'policy_violation', ruling: { decision: 'block' } });
});

test('[approval.caller-gone] a chat that is approved after its caller has gone goes on when it is sent again', async () => {
  const { ask, vote, row, ports } = await setting('hold, hold_seconds: 1');
  const left = new AbortController();
  let looks = 0;
  const pause = async (ms: number) => {
    await ports.pause(ms);
    looks += 1;
    if (looks === 2) left.abort();
    if (looks === 3) await vote(first.id, 'approve');
  };
  const first = await ask({}, { signal: left.signal }, { pause });
  expect((await failureOf(first.result)).code).toBe('conflict');
  expect(await row(first.id)).toMatchObject({ status: 'approved', caller_gone_at: expect.any(String) });
  expect(isEnd(await (await ask()).result)).toBe(false);
});
