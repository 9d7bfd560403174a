/** What is read of an answer with several choices. */
import { ModelProgress } from '#core/chat/model-progress.ts';
import { dialects } from '#core/models/dialects/dialects.ts';

const chunk = (index: number, finish_reason: string | null) => ({
  choices: [{ index, delta: { content: 'a' }, finish_reason }],
});

test('[trace.gen-ai] [evidence.chat] a stream of several choices has the finish reason of each, in the order of the choices', () => {
  const progress = new ModelProgress();
  for (const event of [chunk(1, null), chunk(0, null), chunk(1, 'length'), chunk(0, 'stop')])
    progress.readEvent(dialects.openai, event, () => 1);
  expect(progress.finishReasons).toEqual(['stop', 'length']);
});

test('a whole reply of several choices has each; one answer has one; no end has none', () => {
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
