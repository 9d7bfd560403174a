/** The maximum number of concurrent commands. */
import { CommandSlots } from '#core/execution/executors/command-slots.ts';

const bounds = { max_concurrent: 3, max_concurrent_per_key: 2 };

test('[executor.bounds] concurrent commands are limited per key and across all keys', () => {
  const slots = new CommandSlots();
  const over = slots.take('one', bounds);
  slots.take('one', bounds);
  const refused = expect.objectContaining({ code: 'rate_limit_error', retryAfterSeconds: 1 });
  expect(() => slots.take('one', bounds)).toThrow(refused);
  expect(() => slots.take('one', bounds)).toThrow(
    'Running commands of this key: 2; executors.shell.max_concurrent_per_key allows 2',
  );
  slots.take('two', bounds);
  expect(() => slots.take('three', bounds)).toThrow('Running commands: 3; executors.shell.max_concurrent allows 3');
  over();
  slots.take('three', bounds);
  expect(() => slots.take('two', bounds)).toThrow(refused);
});
