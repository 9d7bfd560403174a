/** A provider's failure: generic words for the caller, the detail for the log, the attempts for the entry. */

import { failed } from '#core/chat/stages/provider-fault.ts';
import { Cancelled } from '#core/execution/cancellation/watch.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { ProviderFault } from '#core/models/providers/ports.ts';
import { stageSetting } from '../../../support/chat-stages.ts';

test('[chat.provider-error] the caller reads nothing of the fault; attempts before it stay known, and the log has the words', async () => {
  const { ports, approved, seen } = await stageSetting();
  const before = { ...approved(), attempts: [{ provider: 'second', error: 'timeout' }] };
  const fault = new ProviderFault('first', 'status', 'secret words', {
    status: 500,
    attempts: [{ provider: 'first', error: '500' }],
  });
  const { message, ending, known } = failed(ports, before, fault);
  expect(message).not.toContain('secret');
  expect(ending).toMatchObject({ outcome: 'failed', error: 'provider_error', headers: {} });
  expect(known.attempts).toEqual([
    { provider: 'second', error: 'timeout' },
    { provider: 'first', error: '500' },
  ]);
  expect(seen).toMatchObject({ counts: ['svc_provider_errors_total first'], logs: ['provider call failed'] });
});

test("[chat.provider-request-id] the provider's id of the call is a header of the refusal", async () => {
  const { ports, approved } = await stageSetting();
  const { ending } = failed(
    ports,
    approved(),
    new ProviderFault('first', 'status', 'x', { status: 500, requestId: 'req_7' }),
  );
  expect(ending.headers).toEqual({ 'x-provider-request-id': 'req_7' });
});

test.each([
  ['went away', undefined, 'provider_error'],
  ['cancelled the call', new Cancelled('key-1'), 'request_cancelled'],
] as const)('[chat.abort] a caller who %s is no failure of the provider', async (_name, reason, code) => {
  const { ports, approved, leave, seen } = await stageSetting();
  const call = approved();
  leave(reason);
  const { ending } = failed(ports, call, new ProviderFault('first', 'aborted', 'gone'));
  expect(ending).toMatchObject({ outcome: 'aborted', error: code });
  expect(seen).toMatchObject({ counts: [], logs: [] });
});

test('[chat.unfit-provider] what a provider has no form for is the refusal of the request, and is not counted against it', async () => {
  const { ports, approved, seen } = await stageSetting();
  const unfit = new ProviderFault('first', 'unavailable', 'x', {
    reason: 'unfit',
    cause: invalidRequest('no audio here'),
  });
  expect(failed(ports, approved(), unfit)).toMatchObject({ code: 'invalid_request', message: 'no audio here' });
  expect(seen.counts).toEqual([]);
});
