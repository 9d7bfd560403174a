import { follow } from '#core/kernel/follow-signal.ts';

test('a controller aborts with the signal that it follows, with the same reason', () => {
  const [caller, call] = [new AbortController(), new AbortController()];
  follow(call, caller.signal);
  expect(call.signal.aborted).toBe(false);
  caller.abort(new Error('gone'));
  expect(call.signal.reason).toBe(caller.signal.reason);
});

test('a signal that is already aborted aborts it immediately', () => {
  const call = new AbortController();
  follow(call, AbortSignal.abort('before'));
  expect(call.signal.reason).toBe('before');
});

test('after the call has ended the signal no longer reaches it', () => {
  const [caller, call] = [new AbortController(), new AbortController()];
  const unlink = follow(call, caller.signal);
  unlink();
  caller.abort();
  expect(call.signal.aborted).toBe(false);
});

test('the first of two reasons applies', () => {
  const [caller, call] = [new AbortController(), new AbortController()];
  follow(call, caller.signal);
  call.abort('own');
  caller.abort('later');
  expect(call.signal.reason).toBe('own');
});
