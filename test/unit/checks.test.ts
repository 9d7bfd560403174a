/** A tier repeats only its failed checks, so that a random failure does not repeat the whole tier. */
import { check, runChecks } from '../support/checks.ts';

/** Returns a check that fails this many times before it passes, and the number of its runs. */
function failing(says: string, times: number) {
  const prove = jest.fn(async () => {
    if (prove.mock.calls.length <= times) throw new Error('not yet');
  });
  return { ...check(says, prove), prove };
}

const printed = jest.spyOn(console, 'log').mockImplementation(() => undefined);
beforeEach(() => printed.mockClear());
const marks = () => printed.mock.calls.map(([line]: string[]) => line!.replace(/ \(\d+ ms\)/, '').split('\n')[0]);

test('a check that fails once is repeated before the next checks, passes, and is reported by name', async () => {
  const [sound, once] = [failing('sound', 0), failing('once', 1)];
  expect(await runChecks([once, sound])).toEqual({ passed: 2, failed: 0 });
  expect(marks()).toEqual(['✗ once', '✓ once (second try)', '✓ sound']);
  expect(sound.prove).toHaveBeenCalledTimes(1);
});

test('a check that fails twice counts as failed', async () => {
  const twice = failing('twice', 2);
  expect(await runChecks([twice, failing('sound', 0)])).toEqual({ passed: 1, failed: 1 });
  expect(twice.prove).toHaveBeenCalledTimes(2);
});

test('after three checks have been repeated, the remaining ones run only once', async () => {
  const checks = Array.from({ length: 5 }, (_, at) => failing(`check ${at}`, 1));
  expect(await runChecks(checks)).toEqual({ passed: 3, failed: 2 });
  expect(checks.map(({ prove }) => prove.mock.calls.length)).toEqual([2, 2, 2, 1, 1]);
});
