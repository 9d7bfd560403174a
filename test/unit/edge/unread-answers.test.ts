/** Responses that are read slowly or not at all, with timers that the test advances. */
import { EventEmitter } from 'node:events';
import { StalledTransfers } from '../../../bin/local/stalled-transfers.ts';
import { type WatchedResponse, watchAnswer } from '../../../bin/local/unread-answers.ts';

/** An HTTP/1.1 response whose connection has already sent other responses. */
class Response extends EventEmitter {
  destroyed = false;
  readonly socket: { bytesWritten: number; writableLength: number; destroy: () => void } = {
    bytesWritten: 1_000_000,
    writableLength: 0,
    destroy: () => {
      this.destroyed = true;
      this.emit('close');
    },
  };
  get writableLength(): number {
    return this.socket.writableLength;
  }
  /** Simulates bytes sent by the upstream. */
  sends(bytes: number): void {
    this.socket.bytesWritten += bytes;
    this.socket.writableLength += bytes;
  }
  /** Simulates bytes read by the client. */
  reads(bytes: number): void {
    this.socket.writableLength -= bytes;
  }
}

beforeAll(() => void jest.useFakeTimers());
afterAll(() => void jest.useRealTimers());

/** Advances the timers. Responses are checked every ten seconds. */
const afterSeconds = (seconds: number): void => void jest.advanceTimersByTime(seconds * 1_000);

const watched = (count: number) => {
  const transfers = new StalledTransfers(60_000);
  const responses = Array.from({ length: count }, () => new Response());
  for (const response of responses) watchAnswer(transfers, response as unknown as WatchedResponse);
  return { transfers, responses: responses as [Response, Response, Response, Response, Response] };
};

test('[edge.hostile] neither reading an occasional byte nor more data from the upstream keeps a response open', () => {
  const { responses } = watched(5);
  const [stuck, growing, trickling, steady, silent] = responses;
  for (const response of [stuck, growing, trickling, steady]) response.sends(5_000_000);
  for (let second = 0; second <= 3_600; second += 10) {
    growing.sends(200);
    trickling.reads(2);
    steady.reads(3_000);
    afterSeconds(10);
    const closed = second >= 60;
    expect([second, stuck.destroyed, growing.destroyed, trickling.destroyed]).toEqual([second, closed, closed, closed]);
  }
  expect([steady.destroyed, silent.destroyed]).toEqual([false, false]);
});

test('[edge.hostile] an event stream is never closed while its client keeps up, however little it sends', () => {
  const { responses } = watched(1);
  const [subscriber] = responses;
  for (let second = 0; second <= 3_600; second += 10) {
    subscriber.sends(40);
    if (second % 50 === 0) subscriber.reads(subscriber.writableLength);
    afterSeconds(10);
  }
  expect(subscriber.destroyed).toBe(false);
});

test('[edge.hostile] the time limit restarts once a response has been read', () => {
  const { responses } = watched(1);
  const [response] = responses;
  response.sends(100);
  afterSeconds(50);
  response.reads(100);
  afterSeconds(10);
  response.sends(100);
  afterSeconds(60);
  expect(response.destroyed).toBe(false);
  afterSeconds(10);
  expect(response.destroyed).toBe(true);
});

test('[edge.hostile] a response that waits for the previous one on its connection still gets its full time', () => {
  const { transfers } = watched(0);
  const response = new Response();
  const { socket } = response;
  const waiting = Object.defineProperty(response as unknown as { socket: unknown }, 'socket', {
    value: null,
    writable: true,
  });
  Object.defineProperty(response, 'writableLength', { get: () => 500 });
  watchAnswer(transfers, waiting as unknown as WatchedResponse);
  afterSeconds(120);
  waiting.socket = socket;
  afterSeconds(60);
  expect(response.destroyed).toBe(false);
  afterSeconds(10);
  expect(response.destroyed).toBe(true);
});
