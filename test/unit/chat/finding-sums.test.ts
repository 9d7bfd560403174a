/** Findings of the lines of a batch, as evidence keeps them. */
import { FindingSums } from '#core/chat/stages/batch-input.ts';
import type { Finding } from '#core/contracts/chat.ts';

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
