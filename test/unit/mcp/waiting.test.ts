/** Messages to the client of a held call. */
import { holdCall } from '#core/mcp/waiting/waiting.ts';

test('[approval.ways-to-wait] progress messages report seconds waited out of the total, then the server’s own progress', () => {
  const heard: { params: Record<string, unknown> }[] = [];
  const exchange = { send: (message: unknown) => void heard.push(message as never), signal: AbortSignal.any([]) };
  const { wait, send } = holdCall(25, { _meta: { progressToken: 'p' } }, { ...exchange, isGone: () => false });
  for (const ms of [0, 250, 999, 1_000, 1_250, 2_600]) wait.onWait?.(ms);
  for (const progress of [0, 1])
    send({ method: 'notifications/progress', params: { progressToken: 'p', progress, total: 1, message: 'works' } });
  send({ method: 'notifications/message', params: { data: 'said' } });
  expect(heard.slice(0, 3).map(({ params }) => params)).toEqual(
    [0, 1, 2].map((progress) => ({
      progressToken: 'p',
      progress,
      total: 25,
      message: `Waiting for approval (${progress} s of 25 s)`,
    })),
  );
  expect(heard.slice(3).map(({ params }) => params)).toEqual([
    { progressToken: 'p', progress: 3, total: 4, message: 'works' },
    { progressToken: 'p', progress: 4, total: 4, message: 'works' },
    { data: 'said' },
  ]);
});
