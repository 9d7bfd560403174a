/**
 * Handles one WebSocket chat call on AWS: claims it, posts its events in batches of 50 ms, and cancels the model call
 * when the caller cancels or disconnects.
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

/** Interval for checking whether the call is still wanted. */
const lookEveryMs = 1_000;

export const createHandler =
  (ports: WorkerPorts) =>
  async (work: DispatchedCall, { signal }: { readonly signal: AbortSignal }): Promise<void> => {
    const { connection_id: connection, call_id: id } = work;
    const call = parseDispatchedCall(work);
    // An asynchronous invocation may arrive twice; the second then finds the call already claimed.
    const claim = await ports.connections.claim(connection, id, work.request_id);
    if (claim === 'no') return;
    const line = new Line(ports, work, call, signal);
    try {
      if (claim === 'claimed') await authorizeAndAnswer(ports, work, call, line);
      else await line.end(serverMessages.done(call.sentId, 'aborted'));
    } catch (thrown) {
      await line.end(serverMessages.error(asGatewayError(thrown), { id: call.sentId })).catch(() => {});
    } finally {
      line.stop();
    }
  };

/** Handles the call. @throws GatewayError if the key is not, or no longer, authorised. */
async function authorizeAndAnswer(
  ports: WorkerPorts,
  work: DispatchedCall,
  call: SocketCall,
  line: Line,
): Promise<void> {
  const principal = await reauthorize(work, await ports.snapshots.current({ of: work }), ports.clock.now());
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

/**
 * Parses the call again. The dispatching function has already checked it, and assigned an id if it did not have one.
 */
function parseDispatchedCall({ call_id, message }: DispatchedCall): SocketCall {
  const read = readMessage(Buffer.from(message, 'base64').toString('utf8'), () => call_id);
  if (read.type !== 'call') throw new Error(`a message of type ${read.type} was handed over`);
  return read;
}

/** The channel to the caller: ordered, and monitored at both ends. */
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

  /** Sends a message. If called after `over`, sends it as the last message, together with the buffered ones. */
  send(text: string): Promise<void> | undefined {
    const behind = this.#batches.add(text);
    return this.#ended ? this.#batches.close() : behind;
  }

  /**
   * Posts a batch. A failure would leave a gap, so it ends the call; after that, only the last message is still
   * attempted.
   */
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

  /** Ends the call after its settlement, so that its id can be used again. */
  async over(): Promise<void> {
    this.stop();
    const { connection_id, call_id, request_id } = this.#work;
    await this.#ports.connections.over(connection_id, call_id).catch((thrown: Error) => {
      this.#ports.telemetry.log('warn', 'a call is still recorded as running', { request_id, error: thrown.message });
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
      const wanted = await this.#wanted().catch(() => true); // a failed check is retried at the next interval
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
