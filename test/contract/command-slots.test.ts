/** A command that finds no place: through the action flow, with programs that run as long as the test wants. */
import { CommandSlots } from '#core/execution/executors/command-slots.ts';
import { shellExecutor } from '#core/execution/executors/shell.ts';
import { caller } from '../support/call-endpoint.ts';
import { configured } from '../support/executor-cases.ts';
import { keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

const running: (() => void)[] = [];
const begun: (() => void)[] = [];

const gateway = useGateway(() => {
  const shell = { enabled: true, allowed_binaries: ['ls'], working_directory: '/', max_concurrent_per_key: 1 };
  const executor = shellExecutor(
    configured({ executors: { shell } }).executors.shell,
    () =>
      new Promise((resolve) => {
        running.push(() => resolve({ exit_code: 0, stdout: '', stderr: '', truncated: false, timed_out: false }));
        begun.shift()?.();
      }),
    { shellWords: undefined, commandSlots: new CommandSlots() },
  );
  return { executors: [executor], toolPolicies: '{ pack: coding-agent }' };
});

test('[executor.bounds] a command beyond the places of its key is 429 and did not run; another key has its own, and places come back', async () => {
  const act = (key: string, session: string) =>
    caller(gateway.ports)('POST', '/admin/v1/test-action', {
      key,
      body: {
        protocol: 'shell',
        tool: 'shell.ls',
        target: '',
        capability: 'read',
        parameters: { argv: ['ls'] },
        actor: { session },
      },
    });
  const begin = (key: string, session: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    begun.push(resolve);
    const answer = act(key, session);
    return { answer, runs: Promise.race([promise, answer.then(({ text }) => Promise.reject(new Error(text)))]) };
  };
  const first = begin(keys.agent, 'first');
  await first.runs;
  const refused = await act(keys.agent, 'second');
  expect([refused.status, refused.body.error.type, refused.headers['retry-after']]).toEqual([
    429,
    'rate_limit_error',
    '1',
  ]);
  expect(refused.body.error.message).toContain('Running commands of this key: 1');
  expect(running).toHaveLength(1);
  const other = begin(keys.other, 'third');
  await other.runs;
  for (const end of running.splice(0)) end();
  expect([(await first.answer).status, (await other.answer).status]).toEqual([200, 200]);
  const again = begin(keys.agent, 'fourth');
  await again.runs;
  running[0]!();
  expect((await again.answer).body.result).toMatchObject({ exit_code: 0 });
});
