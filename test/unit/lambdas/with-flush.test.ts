/** Flushing of telemetry around a function. */
import { withFlush } from '#lambdas/with-flush.ts';

const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 3 };

test('telemetry is flushed after the response without changing it, even shortly before the deadline', async () => {
  const done: string[] = [];
  const flush = async () => void done.push('flushed');
  const answer = { statusCode: 200 };
  const handler = withFlush(
    () => ({ flush }),
    async (event: string, { awsRequestId }) => {
      done.push(`${event} ${awsRequestId}`);
      return answer;
    },
  );
  expect(await handler('event', context)).toBe(answer);
  expect(done).toEqual(['event r', 'flushed']);
});

test('telemetry is flushed after a failure, which Lambda then reports', async () => {
  let count = 0;
  const fault = new Error('the step does not exist');
  const handler = withFlush(
    () => ({ flush: async () => void count++ }),
    () => Promise.reject(fault),
  );
  await expect(handler({}, context)).rejects.toBe(fault);
  expect(count).toBe(1);
});
