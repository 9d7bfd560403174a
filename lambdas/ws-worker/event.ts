/**
 * Answers one chat call of a WebSocket on AWS: takes it over, posts its events in batches of 50 ms, and ends
 * the call of the model as soon as the caller cancelled or left.
 */
import { answerCall } from '#core/chat/socket-answer.ts';
import { SocketBatches } from '#core/chat/socket-batches.ts';
import { readMessage, type SocketCall, serverMessages } from '#core/chat/socket-message.ts';
import type { DispatchedCall, SocketConnections, SocketPosts } from '#core/chat/socket-ports.ts';
import { asGatewayError } from '#core/kernel/errors.ts';
import type { ChatEndpointPorts } from '../middleware/chat-endpoint.ts';
import { reauthorize } from '../ws/caller.ts';

export interface WorkerPorts extends ChatEndpointPorts {
  readonly connections: SocketConnections;
  readonly posts: SocketPosts;
}

/** How often the worker looks whether the call is still wanted. */
const lookEveryMs = 1_000;

export const createHandler =
  (ports: WorkerPorts) =>
  async (work: DispatchedCall, { signal }: { readonly signal: AbortSignal }): Promise<void> => {
    const { connection_id: connection, call_id: id } = work;
    const call = callOf(work);
    // An asynchronous invocation may come twice: the second one finds the call claimed.
    const claim = await ports.connections.claim(connection, id, work.request_id);
    if (claim === 'no') return;
    const line = new Line(ports, work, call, signal);
    try {
      if (claim === 'claimed') await answered(ports, work, call, line);
      else await line.end(serverMessages.done(call.sentId, 'aborted'));
    } catch (thrown) {
      await line.end(serverMessages.error(asGatewayError(thrown), { id: call.sentId })).catch(() => {});
    } finally {
      line.stop();
    }
  };

/** @throws GatewayError when the key may not, or not any more. */
async function answered(ports: WorkerPorts, work: DispatchedCall, call: SocketCall, line: Line): Promise<void> {
  const principal = await reauthorize(work, await ports.snapshots.current(), ports.clock.now());
  await answerCall(ports, {
    call,
    principal,
    sessionId: work.session_id,
    requestId: work.request_id,
    unnamedSessions: ports.unnamedSessions,
    signal: line.signal,
    send: (text) => line.send(text),
    ending: () => line.over(),
  });
}

/** The function that handed it over has read it before, and named it where it had no name. */
function callOf({ call_id, message }: DispatchedCall): SocketCall {
  const read = readMessage(Buffer.from(message, 'base64').toString('utf8'), () => call_id);
  if (read.type !== 'call') throw new Error(`a message of type ${read.type} was handed over`);
  return read;
}

/** The way back to the caller: in order, and watched from both ends. */
class Line {
  readonly #ports: WorkerPorts;
  readonly #work: DispatchedCall;
  readonly #controller = new AbortController();
  readonly #batches: SocketBatches;
  #gone = false;
  #ended = false;
  #stopLooking = () => {};

  constructor(ports: WorkerPorts, work: DispatchedCall, { sentId }: SocketCall, signal: AbortSignal) {
    this.#ports = ports;
    this.#work = work;
    this.#batches = new SocketBatches({
      timeouts: ports.timeouts,
      callId: sentId,
      post: (text) => this.#post(text),
    });
    if (signal.aborted) this.#controller.abort();
    signal.addEventListener('abort', () => this.#controller.abort(), { once: true });
    this.#look();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The message that follows `over` is the last one: it takes along what still waits. */
  send(text: string): Promise<void> | undefined {
    const behind = this.#batches.add(text);
    return this.#ended ? this.#batches.close() : behind;
  }

  /** What cannot be posted leaves a gap: the call ends, and only its last message is still tried. */
  async #post(text: string): Promise<boolean> {
    if (this.#gone) return false;
    const { connection_id, request_id } = this.#work;
    try {
      this.#gone = !(await this.#ports.posts.post(connection_id, text));
      if (!this.#gone) return true;
    } catch (thrown) {
      const { message } = asGatewayError(thrown);
      this.#ports.telemetry.log('warn', 'an event could not be posted', { request_id, error: message });
    }
    this.#controller.abort();
    return false;
  }

  /** The call is settled; its id may be used again. */
  async over(): Promise<void> {
    this.stop();
    const { connection_id, call_id, request_id } = this.#work;
    await this.#ports.connections.over(connection_id, call_id).catch((thrown: Error) => {
      this.#ports.telemetry.log('warn', 'a call stays noted as running', { request_id, error: thrown.message });
    });
  }

  async end(text: string): Promise<void> {
    await this.over();
    await this.send(text);
  }

  stop(): void {
    this.#ended = true;
    this.#stopLooking();
    this.#batches.stop();
  }

  #look(): void {
    this.#stopLooking = this.#ports.timeouts.after(lookEveryMs, async () => {
      const wanted = await this.#wanted().catch(() => true); // what fails now may succeed the next time
      if (this.#ended) return;
      if (!wanted) return this.#controller.abort();
      this.#look();
    });
  }

  async #wanted(): Promise<boolean> {
    const { connection_id, call_id } = this.#work;
    const connection = await this.#ports.connections.get(connection_id);
    return connection !== undefined && !connection.gone && !connection.calls[call_id]?.cancelled;
  }
}
