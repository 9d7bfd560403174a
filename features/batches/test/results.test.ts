import type { ChatCall } from '#core/chat/call.ts';
import type { Finding } from '#core/contracts/chat.ts';
import type { ContentPolicy } from '#core/models/content-policy/ports.ts';
import { FindingSums } from '../check-lines.ts';
import { checkResults } from '../results.ts';

const lineOf = (custom_id: string, content: string) =>
  JSON.stringify({
    id: `id-${custom_id}`,
    custom_id,
    error: null,
    response: { status_code: 200, body: { choices: [{ index: 0, message: { role: 'assistant', content } }] } },
  });

test('[store.sweep] [batches.results] a line whose filter throws becomes an error, and the other lines pass', async () => {
  const logged: string[] = [];
  const ports = {
    pause: async () => {},
    telemetry: { log: (_: string, message: string) => void logged.push(message) },
  } as unknown as Parameters<typeof checkResults>[0];
  const policy = {
    outputIdle: false,
    checkOutput: async (texts: readonly { readonly text: string }[]) => {
      if (texts.some(({ text }) => text.includes('poison'))) throw new Error('a filter failed');
      return { decision: 'allow', findings: [] };
    },
  } as unknown as ContentPolicy;
  const call = { tenant: { id: 't' }, resolvedModel: 'm', snapshot: { configuration: {} } } as unknown as ChatCall;
  const text = [lineOf('a', 'hello'), lineOf('b', 'poison'), lineOf('c', 'bye')].join('\n');
  const results = await checkResults(ports, call, policy, { text, endpoint: '/v1/chat/completions', provider: 'p' });
  const lines = results.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { custom_id: 'a', response: { status_code: 200 } },
    { custom_id: 'b', response: null, error: { code: 'policy_violation' } },
    { custom_id: 'c', response: { status_code: 200 } },
  ]);
  expect(results.text).not.toContain('poison');
  expect(logged).toEqual(['a line of batch results could not be checked']);
});

test('[batches.governed] findings of the same kind are counted together, and the number of kinds is bounded', () => {
  const sums = new FindingSums();
  const finding = (detail: string): Finding => ({
    policy: 'p',
    type: 'wasm',
    action: 'log',
    phase: 'input',
    detail,
    count: 1,
  });
  sums.add([finding('same'), finding('same')]);
  sums.add(Array.from({ length: 200 }, (_, at) => finding(`own ${at}`)));
  sums.add([finding('same'), finding('late')]);
  expect(sums.all()).toHaveLength(100);
  expect(sums.all()[0]).toMatchObject({ detail: 'same', count: 3 });
});
