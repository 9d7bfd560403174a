/** A call that ends in a stage: what its caller gets, and what is known of it. */
import { knowing, StageFailure } from '#core/chat/stage-failure.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { stageSetting } from '../../support/chat-stages.ts';

const known = stageSetting().then(({ admitted }) => admitted());

test('[chat.provider-error] a failure is the fault itself for its caller: code, words, data, cause and waiting time', async () => {
  const cause = new Error('why');
  const options = { cause, data: { policy: 'p' }, retryAfterSeconds: 3, providerRequestId: 'req' };
  const failure = new StageFailure(new GatewayError('provider_error', 'no', options), await known, 'failed');
  expect(failure).toBeInstanceOf(GatewayError);
  expect(failure).toMatchObject({ code: 'provider_error', message: 'no', ...options });
  expect(failure.ending).toEqual({ outcome: 'failed', error: 'provider_error', ruling: undefined, headers: {} });
});

test.each([
  [invalidRequest('bad'), 'refused', 'invalid_request'],
  [new GatewayError('service_unavailable', 'later'), 'failed', 'service_unavailable'],
  [new TypeError('a bug'), 'failed', 'server_error'],
] as const)(
  '[chat.pipeline.order] %s ends the call as %s, with what the stages before had returned',
  async (thrown, outcome, error) => {
    const before = await known;
    const failure = await knowing(before, () => Promise.reject(thrown)).catch((fault: unknown) => fault);
    expect(failure).toMatchObject({ ending: { outcome, error } });
    expect((failure as StageFailure).known).toBe(before);
  },
);

test('[chat.pipeline.order] a stage that knows more keeps it', async () => {
  const before = await known;
  const more = new StageFailure(invalidRequest('bad'), { ...before, resource: 'file_1' }, 'blocked');
  await expect(knowing(before, () => Promise.reject(more))).rejects.toBe(more);
});
