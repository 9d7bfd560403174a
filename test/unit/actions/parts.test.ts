/** Small parts of the flow: abuse notes, remaining time, a call's destination, and large calls. */
import { foreignApproval, ownerOf, refusedLogin } from '#core/actions/abuse-notes.ts';
import { isLarge, policyText, redaction, sentOf } from '#core/actions/call-work.ts';
import { abandonedAt, beforeFunctionEnd, executionEndsAt } from '#core/actions/deadline.ts';
import { openEnvelope } from '#core/actions/envelope.ts';
import { sessionOwner } from '#core/actions/governed.ts';
import { configuredPlacement, placementOf } from '#core/actions/placement.ts';
import { isAskedAgain } from '#core/actions/started.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { Loose } from '../../support/loose.ts';
import { woundTimeouts } from '../../support/wound-timeouts.ts';
import { action, configuration, envelope, nowMs } from './sample.ts';

const off = { behavior: { enabled: false } };
const human = { principal: { key_id: 'k1', kind: 'human', person: 'alice', owner: 'bob' } };

describe('notes on abuse', () => {
  test('a note on a refused login names the upstream and the call', () => {
    expect(JSON.stringify(refusedLogin(action(), 'forge', undefined))).toContain('forge, call dddddd"');
  });

  test.each<[string, Loose, string | undefined, string | undefined]>([
    ['no upstream refused it', {}, undefined, undefined],
    ['a human approved the call', {}, 'forge', 'a1'],
    ['nothing is scored', { configuration: off }, 'forge', undefined],
    ['a human called', human, 'forge', undefined],
  ])('none where %s', (_, over, upstream, approval) => {
    expect(refusedLogin(action(over), upstream, approval)).toBeUndefined();
  });

  const row: Loose = { envelope_id: 'a1', key_id: 'k2', key_owner: 'carol' };
  test('use of an approval that belongs to another key is noted in addition to earlier notes', () => {
    const note = foreignApproval(action({ decision: { behavior: { signals: [] } } }), row);
    expect(JSON.stringify(note)).toContain('approval a1 of another key');
    expect(foreignApproval(action(), { ...row, key_owner: undefined })).toBeDefined();
    expect(
      foreignApproval(action({ principal: { key_id: 'k1', kind: 'agent' } }), { ...row, key_owner: undefined }),
    ).toBeDefined();
  });

  test.each<[string, Loose, Loose | undefined]>([
    ['without an approval', {}, undefined],
    ['of the same key', {}, { ...row, key_id: 'k1' }],
    ['of another key of the same owner', {}, { ...row, key_owner: 'bob' }],
    ['where nothing is scored', { configuration: off }, row],
    ['of a human', human, row],
  ])('none %s', (_, over, found) => {
    expect(foreignApproval(action(over), found)).toBeUndefined();
  });

  test("the person using a key takes precedence over the key's owner", () => {
    expect([ownerOf(human.principal as never), ownerOf({ owner: 'bob' } as never), ownerOf({} as never)]).toEqual([
      ...['alice', 'bob', undefined],
    ]);
    expect([sessionOwner({ kind: 'agent', key_id: 'k' } as never), sessionOwner(human.principal as never)]).toEqual([
      ...['k', undefined],
    ]);
  });
});

describe('the time limit of an execution', () => {
  test('ends after the maximum execution time, or five seconds before its function ends', () => {
    expect(executionEndsAt(nowMs, undefined)).toBe(nowMs + 900_000);
    expect(executionEndsAt(nowMs, nowMs + 30_000)).toBe(nowMs + 25_000);
    expect(abandonedAt(nowMs, nowMs + 30_000)).toBe(isoTime(nowMs + 90_000));
  });

  const run = (given?: AbortSignal, endsAtMs = nowMs + 10_000) => {
    const timeouts = woundTimeouts();
    const seen: AbortSignal[] = [];
    const settle = Promise.withResolvers<string>();
    const ports = { clock: { now: () => nowMs }, timeouts };
    const result = beforeFunctionEnd(ports, endsAtMs, given, (signal) => {
      seen.push(signal);
      return settle.promise;
    });
    return { timeouts, result, signal: () => seen[0]!, settle };
  };

  test('a call that finishes in time leaves no timer', async () => {
    const call = run();
    expect(call.timeouts.size).toBe(1);
    call.settle.resolve('done');
    expect(await call.result).toBe('done');
    expect([call.timeouts.size, call.signal().aborted]).toEqual([0, false]);
  });

  test('the signal aborts at the limit, and a call that settles within a second is still accepted', async () => {
    const call = run();
    call.timeouts.pass(10_000);
    expect(call.signal().reason).toMatchObject({ name: 'TimeoutError' });
    call.settle.resolve('just');
    expect(await call.result).toBe('just');
    expect(call.timeouts.size).toBe(0);
  });

  test('a call that does not settle is abandoned', async () => {
    const call = run();
    call.timeouts.pass(10_000);
    call.timeouts.pass(1_000);
    await expect(call.result).rejects.toMatchObject({ kind: 'cancelled', effect: 'unknown' });
  });

  test('aborting the given signal also ends the call; a limit in the past ends it immediately', () => {
    const given = new AbortController();
    const call = run(given.signal);
    given.abort(new Error('left'));
    expect(call.signal().reason).toMatchObject({ message: 'left' });
    const late = run(undefined, nowMs - 5);
    late.timeouts.pass(0);
    expect(late.signal().aborted).toBe(true);
  });
});

describe('a call repeated with the same id', () => {
  const found: Loose = { call_digest: 'd'.repeat(64), tool: 'x', started_at: 's', envelope_id: 'e0' };
  test('counts as the same call until its outcome is recorded', () => {
    expect(isAskedAgain(action({ callId: 'c' }), found)).toBe(true);
    expect(isAskedAgain(action({ callId: 'c' }), undefined)).toBe(false);
    expect(isAskedAgain(action(), found)).toBe(false);
    expect(() => isAskedAgain(action({ callId: 'c' }), { ...found, outcome: 'executed' })).toThrow(
      'whose outcome is recorded',
    );
    expect(() => isAskedAgain(action({ callId: 'c' }), { ...found, call_digest: 'o' })).toThrow(
      'for another call (x, s)',
    );
  });
});

describe('the destination of a call', () => {
  const http = configuration({ upstreams: { http: [{ name: 'api', base_url: 'https://api.example' }] } });
  const snapshot: Loose = { configuration: http };

  test('an HTTP call goes to the service with that address, whatever the letter case of its protocol', () => {
    const call = { ...envelope, protocol: ' HTTP ', tool: 'http.get', target: 'https://api.example/users' };
    expect(configuredPlacement(http as never, call)).toEqual({ upstream: 'api' });
    expect(configuredPlacement(http as never, { ...call, protocol: 'mcp' })).toBeUndefined();
    expect(configuredPlacement(http as never, { ...call, target: 'https://other.example/' })).toBeUndefined();
  });

  test('the server named by a caller must be one that offers the tool', async () => {
    const asked: Loose[] = [];
    const place = async (call: Loose) => asked.push(call) && { upstream: 'forge' };
    const executor = { place, handles: () => true };
    const ports: Loose = { executors: () => [executor] };
    expect(await placementOf(ports, snapshot, envelope, undefined)).toEqual({ upstream: 'forge' });
    expect(await placementOf(ports, snapshot, envelope, 'forge')).toEqual({ upstream: 'forge' });
    expect(asked.map(({ upstream }) => upstream)).toEqual([undefined, 'forge']);
    const elsewhere = { place: async () => undefined, handles: () => true };
    expect(
      await placementOf({ executors: () => [elsewhere, executor] } as never, snapshot, envelope, undefined),
    ).toEqual({
      upstream: 'forge',
    });
    const bare = { handles: () => true };
    expect(
      await placementOf({ executors: () => [bare, executor] } as never, snapshot, envelope, undefined),
    ).toBeUndefined();
    await expect(placementOf(ports, snapshot, envelope, 'other')).rejects.toMatchObject({ code: 'no_upstream' });
  });
});

describe('large calls', () => {
  test('size counts characters and member names, and one for every other value', () => {
    expect(isLarge('x'.repeat(16_384))).toBe(false);
    expect(isLarge('x'.repeat(16_385))).toBe(true);
    expect([isLarge([1, null, true], 4), isLarge([1, null, true], 3)]).toEqual([false, true]);
    expect([isLarge({ abc: 1 }, 5), isLarge({ abc: 1 }, 4)]).toEqual([false, true]);
    expect([isLarge(null, 1), isLarge(7, 0)]).toEqual([false, true]);
  });

  test('additional parameters count toward the size; a policy is serialised once', () => {
    expect(sentOf(envelope)).toBe(envelope.parameters);
    expect(sentOf({ ...envelope, sent_with: { b: 1 } })).toEqual([{}, { b: 1 }]);
    const document: Loose = { name: 'p' };
    const text = policyText(document);
    document.name = 'changed';
    expect([text, policyText(document)]).toEqual(['{"name":"p"}', text]);
  });

  test("a worker removes the credential's secrets before looking for others", () => {
    const job = { value: { a: 'tok tok', password: 'x' }, sensitivePaths: [], programs: [], secrets: ['tok'] };
    const found = redaction(job, (bytes) => '0'.repeat(bytes * 2));
    expect(found.value).toMatchObject({ a: '[credential withheld] [credential withheld]' });
    expect(found.withheld).toEqual(['$.password']);
  });
});

test("an envelope contains the caller's members, and no others", () => {
  const principal: Loose = { tenant: 't', key_id: 'k', name: 'writer' };
  const { protocol, tool, target, capability } = envelope;
  const bare = { protocol, tool, target, capability };
  expect(openEnvelope(bare as never, principal, 's', 'e')).toEqual({
    ...bare,
    envelope_id: 'e',
    tenant: 't',
    key_id: 'k',
    actor: { agent: 'writer', session: 's' },
    parameters: {},
    justification: '',
  });
  const more: Loose = { approval_ref: 'a', manifest_id: 'm', sent_with: { x: 1 }, actor: { agent: 'other' } };
  expect(openEnvelope({ ...bare, ...more }, principal, 's', 'e', { upstream: 'u' })).toMatchObject({
    approval_ref: 'a',
    manifest_id: 'm',
    sent_with: { x: 1 },
    upstream: 'u',
    actor: { agent: 'other', session: 's' },
  });
});
