/** Answers that nobody reads, by a clock that the test winds. */
import { EventEmitter } from 'node:events';
import type { EdgeResponse } from '../../../bin/local/edge/forward.ts';
import { UnreadAnswers } from '../../../bin/local/edge/unread-answers.ts';

class Response extends EventEmitter {
  writableLength = 0;
  destroyed = false;
  readonly socket = {
    destroy: () => {
      this.destroyed = true;
      this.emit('close');
    },
  };
}

test('[edge.slow-readers] the same bytes may wait so long; those that move, and none at all, may wait longer', () => {
  const answers = new UnreadAnswers(60_000);
  const [stuck, moving, silent, late] = [new Response(), new Response(), new Response(), new Response()];
  for (const response of [stuck, moving, silent, late]) answers.watch(response as unknown as EdgeResponse);
  stuck.writableLength = moving.writableLength = 5_000;
  for (let second = 0; second <= 70; second += 10) {
    moving.writableLength -= 1;
    if (second === 40) late.writableLength = 5_000;
    answers.look(second * 1_000);
    expect([second, stuck.destroyed]).toEqual([second, second >= 60]);
  }
  expect([moving, silent, late].map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
  answers.look(100_000);
  expect(late.destroyed).toBe(true);
});

test('[edge.slow-readers] the time counts again from when an answer was read', () => {
  const answers = new UnreadAnswers(60_000);
  const response = new Response();
  answers.watch(response as unknown as EdgeResponse);
  response.writableLength = 100;
  answers.look(0);
  response.writableLength = 0;
  answers.look(50_000);
  response.writableLength = 100;
  for (const now of [60_000, 119_000]) answers.look(now);
  expect(response.destroyed).toBe(false);
  answers.look(120_000);
  expect(response.destroyed).toBe(true);
});
