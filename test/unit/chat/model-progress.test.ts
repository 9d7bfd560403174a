/** Progress of a response with several choices. */
import type { KnownCall } from '#core/chat/call-stages.ts';
import { callUsage, isSameModel } from '#core/chat/call-usage.ts';
import { ModelProgress } from '#core/chat/model-progress.ts';
import { dialects } from '#core/models/dialects/dialects.ts';

const chunk = (index: number, finish_reason: string | null) => ({
  choices: [{ index, delta: { content: 'a' }, finish_reason }],
});

test('[trace.export] [evidence.chat] a stream with several choices reports each finish reason, in the order of the choices', () => {
  const progress = new ModelProgress();
  for (const event of [chunk(1, null), chunk(0, null), chunk(1, 'length'), chunk(0, 'stop')])
    progress.readEvent(dialects.openai, event, () => 1);
  expect(progress.finishReasons).toEqual(['stop', 'length']);
});

test('a reply with several choices reports a reason for each, a single choice reports one, and an unfinished reply none', () => {
  const whole = new ModelProgress();
  whole.readReply(dialects.openai, {
    choices: [
      { index: 0, message: { content: 'a' }, finish_reason: 'stop' },
      { index: 1, message: { content: 'b' }, finish_reason: 'content_filter' },
    ],
  });
  expect(whole.finishReasons).toEqual(['stop', 'content_filter']);
  const message = new ModelProgress();
  message.readEvent(dialects.anthropic, { type: 'message_delta', delta: { stop_reason: 'end_turn' } }, () => 1);
  expect(message.finishReasons).toEqual(['end_turn']);
  const open = new ModelProgress();
  open.readEvent(dialects.openai, chunk(0, null), () => 1);
  expect(open.finishReasons).toEqual([]);
});

const delta = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } };
test.each<[what: string, dialect: keyof typeof dialects, events: object[], n: number, ended: boolean]>([
  ['one of two choices', 'openai', [chunk(0, null), chunk(1, null), chunk(0, 'stop')], 2, false],
  ['one of two choices, before the other began', 'openai', [chunk(0, null), chunk(0, 'stop')], 2, false],
  ['one of three choices twice', 'openai', [chunk(0, 'stop'), chunk(0, 'stop'), chunk(1, 'stop')], 3, false],
  ['both choices', 'openai', [chunk(0, null), chunk(0, 'stop'), chunk(1, 'length')], 2, true],
  ['the only choice', 'openai', [chunk(0, null), chunk(0, 'stop')], 1, true],
  ['no choice', 'openai', [chunk(0, null)], 1, false],
  ['the message', 'anthropic', [delta], 1, true],
  ['no message', 'anthropic', [{ type: 'message_start', message: { usage: { output_tokens: 1 } } }], 1, false],
])(
  '[budget.served] detects whether a stream is complete if %s has ended, in the %s dialect',
  (_what, dialect, events, n, ended) => {
    const progress = new ModelProgress();
    for (const event of events) progress.readEvent(dialects[dialect], event as never, () => 1);
    expect(progress.hasEnded(n)).toBe(ended);
  },
);

test.each([
  [2, [chunk(0, 'stop')], { input_tokens: 3, output_tokens: 100, estimated: true }],
  [2, [chunk(0, 'stop'), chunk(1, 'stop')], { input_tokens: 3, output_tokens: 1 }],
  [undefined, [chunk(0, 'stop')], { input_tokens: 3, output_tokens: 1 }],
])('[budget.served] with n = %s, initial token counts are final once all choices have ended', (n, ends, usage) => {
  const progress = new ModelProgress();
  const start = { usage: { prompt_tokens: 3, completion_tokens: 1 }, choices: [] };
  const long = { choices: [{ index: 0, delta: { content: 'a'.repeat(396) }, finish_reason: null }] };
  for (const event of [start, long, ...ends]) progress.readEvent(dialects.openai, event, () => 1);
  const call = { stream: true, body: { ...(n !== undefined && { n }) }, inputTokens: 9 };
  expect(callUsage({ call, progress, provider: 'p' } as unknown as KnownCall)).toEqual(usage);
});

test.each([
  ['gpt-4o-mini', 'gpt-4o-mini-2024-07-18'],
  ['gpt-4', 'gpt-4-0613'],
  ['claude-x', 'claude-x-20250101'],
  ['claude-x', 'anthropic/claude-x'],
  ['claude-3-5-sonnet-latest', 'claude-3-5-sonnet-20241022'],
  ['claude-sonnet-4-0', 'claude-sonnet-4-20250514'],
  ['us.anthropic.claude-3-5-sonnet-20241022-v2:0', 'claude-3-5-sonnet-20241022'],
  ['meta/llama-3:free', 'meta/llama-3'],
])('[budget.served] model %s matches a response from %s', (asked, replied) =>
  expect(isSameModel(asked, replied)).toBe(true),
);

test.each([
  ['gpt-4o-mini', 'gpt-4o'],
  ['gpt-4o', 'gpt-4o-mini'],
  ['gpt-5', 'gpt-5-pro'],
  ['gpt-4.1', 'gpt-4'],
])('[budget.served] %s is a different model from %s', (asked, replied) =>
  expect(isSameModel(asked, replied)).toBe(false),
);
