import { follow } from '#core/kernel/follow-signal.ts';

test('a controller aborts with the signal it follows, for the same reason', () => {
  const [caller, call] = [new AbortController(), new AbortController()];
  follow(call, caller.signal);
  expect(call.signal.aborted).toBe(false);
  caller.abort(new Error('gone'));
  expect(call.signal.reason).toBe(caller.signal.reason);
});

test('a signal that is already aborted aborts the controller immediately', () => {
  const call = new AbortController();
  follow(call, AbortSignal.abort('before'));
  expect(call.signal.reason).toBe('before');
});

test('after unlinking, the signal no longer aborts the controller', () => {
  const [caller, call] = [new AbortController(), new AbortController()];
  const unlink = follow(call, caller.signal);
  unlink();
  caller.abort();
  expect(call.signal.aborted).toBe(false);
});

test('the first of two abort reasons is kept', () => {
  const [caller, call] = [new AbortController(), new AbortController()];
  follow(call, caller.signal);
  call.abort('own');
  caller.abort('later');
  expect(call.signal.reason).toBe('own');
});
