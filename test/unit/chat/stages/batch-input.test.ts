/** The lines of an uploaded batch, each checked as the call it stands for. */
import { readBatchFile } from '#core/chat/batches/lines.ts';
import { checkLines, FindingSums } from '#core/chat/stages/batch-input.ts';
import type { Finding } from '#core/contracts/chat.ts';
import { failureOf, stageSetting } from '../../../support/chat-stages.ts';
import type { Loose } from '../../../support/loose.ts';

const filters = `
policies:
  input:
    - { name: no-bombs, type: keyword, action: block, keywords: [bomb] }
    - { name: ask, type: keyword, action: review, keywords: [rocket] }
transform: { system_prompt_prefix: "Be kind." }
`;
const fileOf = (...bodies: readonly Loose[]) =>
  readBatchFile(
    bodies
      .map((body, at) =>
        JSON.stringify({
          custom_id: `c${at}`,
          method: 'POST',
          url: '/v1/chat/completions',
          body: { model: 'm', ...body },
        }),
      )
      .join('\n'),
    async () => {},
  );
const said = (content: string) => ({ messages: [{ role: 'user', content }] });
const check = async (...bodies: readonly Loose[]) => {
  const { ports, admitted, policy } = await stageSetting(filters);
  return checkLines(ports, admitted(), policy, await fileOf(...bodies));
};

test('[batches.lines] each line goes on as its call would, transforms included, in its order', async () => {
  const { lines, inputVerdict } = await check(said('one'), said('two'));
  expect(inputVerdict).toEqual({ decision: 'allow', findings: [] });
  expect(lines).toMatchObject([
    { messages: [{ role: 'system', content: 'Be kind.' }, { content: 'one' }] },
    { messages: [{ role: 'system', content: 'Be kind.' }, { content: 'two' }] },
  ]);
});

test('[batches.lines] a review of one line is a review of the file', async () => {
  const { inputVerdict } = await check(said('a rocket'), said('two'));
  expect(inputVerdict).toMatchObject({
    decision: 'review',
    matched_rule: 'content:ask',
    findings: [{ policy: 'ask', count: 1 }],
  });
});

test('[batches.lines] the first blocked line refuses the file, is named, and is recorded with the findings before it', async () => {
  const { known, ending, message } = await failureOf(check(said('a rocket'), said('a bomb'), said('a bomb')));
  expect(message).toMatch(/line 2\b.*blocked by policy no-bombs/i);
  expect(ending).toMatchObject({ outcome: 'blocked', error: 'policy_violation' });
  expect(known.inputVerdict).toMatchObject({ decision: 'block', matched_rule: 'content:no-bombs' });
  expect(known.inputVerdict?.findings).toMatchObject([
    { policy: 'ask', count: 1 },
    { policy: 'no-bombs', count: 1 },
  ]);
});

test('[batches.lines] tools of a line are refused, since nothing decides their calls later', async () => {
  const tools = [{ type: 'function', function: { name: 'f', parameters: {} } }];
  const { ports, admitted, policy } = await stageSetting('chat_completions: { tool_use: govern }');
  const file = await fileOf(said('one'), { ...said('two'), tools });
  await expect(checkLines(ports, admitted(), policy, file)).rejects.toThrow(/line 2\b.*tools/i);
});

test('[batches.evidence] findings of one kind are summed, and kinds are bounded', () => {
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
