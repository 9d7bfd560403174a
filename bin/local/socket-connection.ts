/**
 * One WebSocket of the local run: authenticated by a header or the first message, with many concurrent calls, and with
 * back-pressure from the socket to the model and from the gateway to the caller.
 */
import type { WebSocket } from 'ws';
import { answerCall } from '#core/chat/socket-answer.ts';
import {
  closeCodes,
  closesWith,
  readMessage,
  refusalOf,
  type SocketCall,
  serverMessages,
  socketLimits,
} from '#core/chat/socket-message.ts';
import type { SocketCaller } from '#core/chat/socket-ports.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import { asGatewayError, GatewayError } from '#core/kernel/errors.ts';
import type { CallerShares, Sharer } from '#core/limits/caller-shares.ts';
import type { ChatEndpointPorts } from '#lambdas/middleware/chat-endpoint.ts';
import {
  assertBeforeKey,
  assertTakes,
  callerOf,
  carriesKey,
  type HandshakeHeaders,
  maxBytes,
  reauthorize,
  socketCaller,
  withKey,
} from '#lambdas/ws/caller.ts';

/** Amount of unsent data above which the model's stream is paused. */
const behindBytes = 256 * 1024;
/** Unprocessed input above which reading stops. */
const inboxBytes = 256 * 1024;
/** Size charged for a message in addition to its text. */
const messageBytes = 1024;
/** Number of messages handled before other work may run. */
const turnMessages = 8;
/** Maximum total size of the bodies of running calls, in bytes. */
const callBytes = 64 * 1024 * 1024;
/** Number of consecutive calls refused because too many are running, after which the caller is disconnected. */
const maxRefusedInARow = 64;
/** Keep-alive interval. A peer without traffic for two intervals is disconnected. */
const keepAliveMs = 30_000;

interface Handshake {
  readonly headers: HandshakeHeaders;
  readonly address: string;
  /** Session for calls that do not name one. */
  readonly sessionId: string | undefined;
  /** Whether the headers contain a known key. */
  readonly known: boolean;
  /** Shares of connections, by accepted key. */
  readonly shares: CallerShares;
}

export class SocketConnection {
  readonly #ws: WebSocket;
  readonly #headers: HandshakeHeaders;
  readonly #address: string;
  readonly #sessionId: string | undefined;
  readonly #known: boolean;
  readonly #shares: CallerShares;
  readonly #ports: ChatEndpointPorts;
  readonly #calls = new Map<string, { readonly controller: AbortController; readonly bytes: number }>();
  readonly #running = new Set<Promise<void>>();
  #caller: SocketCaller | undefined;
  /** The key whose share includes this connection. */
  #share: Sharer | undefined;
  /** Handles messages one at a time, so that authentication ends before the first call begins. */
  #turn: Promise<void>;
  #inbox = 0;
  #beforeKey = 0;
  #arrived = 0;
  #refused = 0;
  #alive = true;
  #state: 'open' | 'draining' | 'closing' = 'open';

  constructor(ws: WebSocket, { headers, address, sessionId, known, shares }: Handshake, ports: ChatEndpointPorts) {
    this.#ws = ws;
    this.#headers = headers;
    this.#address = address;
    this.#sessionId = sessionId;
    this.#known = known;
    this.#shares = shares;
    this.#ports = ports;
    this.#turn = this.#authenticateHandshake().catch((thrown) => this.#refuse(thrown));
    const cancelLate = ports.timeouts.after(socketLimits.authWithinMs, () => {
      if (this.#caller) return;
      this.#refuse(
        new GatewayError(
          'authentication_error',
          'No key came within 10 seconds. Connect again, and send {"type":"auth","api_key":…} first.',
        ),
      );
    });
    let cancelBeat = () => {};
    const beat = () => {
      cancelBeat = ports.timeouts.after(keepAliveMs, () => {
        if (!this.#alive) return ws.terminate();
        this.#alive = false;
        ws.ping();
        beat();
      });
    };
    beat();
    ws.on('message', (data: Buffer, isBinary) => this.#arrive(isBinary ? undefined : data.toString(), data.length));
    ws.on('ping', this.#lives).on('pong', this.#lives);
    ws.on('error', () => {}); // closes by itself, with the code for the reason
    ws.once('close', () => {
      cancelLate();
      cancelBeat();
      this.#giveShare();
      this.#abort();
    });
  }

  /** Checks whether the connection is open and has not sent a key. */
  get waitsForKey(): boolean {
    return !this.#known && this.#caller === undefined && this.#state !== 'closing';
  }

  /** Ends the connection immediately, without waiting for its peer. */
  makeRoom(): void {
    this.#state = 'closing';
    this.#ws.terminate();
  }

  /** Resolves when all work of this connection has ended. */
  async over(): Promise<void> {
    await this.#turn;
    await Promise.all(this.#running);
  }

  /** Lets running calls continue until `late`, and starts no new ones. */
  async drain(late: Promise<void>): Promise<void> {
    if (this.#state === 'open') this.#state = 'draining';
    await Promise.race([this.over(), late]);
    this.#close(closeCodes.goingAway, 'the gateway stops');
    await this.over();
  }

  readonly #lives = () => {
    this.#alive = true;
  };

  #arrive(text: string | undefined, bytes: number): void {
    this.#lives();
    const weight = bytes + messageBytes;
    this.#inbox += weight;
    if (this.#inbox > inboxBytes) this.#ws.pause();
    const waits = ++this.#arrived % turnMessages === 0;
    this.#turn = this.#turn
      .then(() => (waits ? this.#ports.texts?.turn() : undefined))
      .then(() => this.#take(text, bytes))
      .catch((thrown) => this.#refuse(thrown))
      .then(() => {
        this.#inbox -= weight;
        if (this.#inbox <= inboxBytes && this.#ws.isPaused) this.#ws.resume();
      });
  }

  /** Authenticates using the handshake's headers. If they contain no key, the first message must. */
  async #authenticateHandshake(): Promise<void> {
    if (carriesKey(this.#headers)) await this.#authenticate(this.#headers);
  }

  async #authenticate(headers: HandshakeHeaders): Promise<void> {
    const { principal, snapshot } = await callerOf(headers, this.#address, this.#ports);
    this.#countedAs(socketCaller(principal));
    takeUpTo(this.#ws, snapshot.configuration.server.max_body_bytes);
    await this.#send(serverMessages.ready(maxBytes(snapshot, this.#caller?.tenant)));
  }

  /** @throws GatewayError `rate_limit_error` if the key or its tenant has too many connections open. */
  #countedAs(caller: SocketCaller): void {
    if (this.#share?.key_id !== caller.key_id && this.#ws.readyState !== this.#ws.CLOSED) {
      const excess = this.#shares.take(caller);
      if (excess)
        throw new GatewayError(
          'rate_limit_error',
          `${excess.held} connections of this ${excess.of} are open, and the remaining ones are reserved for other ${excess.of}s. Close one, or use one for several calls.`,
          { retryAfterSeconds: 1 },
        );
      this.#giveShare();
      this.#share = caller;
    }
    this.#caller = caller;
  }

  #giveShare(): void {
    if (this.#share !== undefined) this.#shares.give(this.#share);
    this.#share = undefined;
  }

  async #take(text: string | undefined, bytes: number): Promise<void> {
    if (this.#state === 'closing') return;
    const snapshot = await this.#ports.snapshots.current({ of: this.#caller ?? {} });
    if (!this.#caller) assertBeforeKey(bytes, ++this.#beforeKey);
    assertTakes(maxBytes(snapshot, this.#caller?.tenant), bytes);
    if (text === undefined) throw new GatewayError('invalid_request', 'The message is binary; send JSON as text.');
    const message = readMessage(text, () => this.#ports.ids.uuid());
    if (message.type === 'faulty') return this.#send(serverMessages.error(message.fault, { id: message.sentId }));
    if (message.type === 'ping') return this.#send(serverMessages.pong());
    if (message.type === 'auth') return this.#authenticate(withKey(this.#headers, message.apiKey));
    if (!this.#caller) throw new GatewayError('authentication_error', 'Send {"type":"auth","api_key":…} first.');
    if (message.type === 'cancel') return this.#calls.get(message.id)?.controller.abort();
    const principal = await reauthorize(this.#caller, snapshot, this.#ports.clock.now()); // it may have been revoked since the connection opened
    const refusal = this.#refusal(message, bytes);
    if (!refusal) return this.#begin(message, principal, bytes);
    await this.#send(serverMessages.error(refusal, { id: message.sentId }));
    if (this.#refused >= maxRefusedInARow) this.#close(closeCodes.limited, refusal.code);
  }

  /** Returns the reason why the call must not begin, if there is one. */
  #refusal({ id }: SocketCall, bytes: number): GatewayError | undefined {
    if (this.#state === 'draining')
      return new GatewayError('service_unavailable', 'The gateway is shutting down.', { retryAfterSeconds: 1 });
    if (this.#calls.has(id)) return refusalOf('running', id);
    const held = [...this.#calls.values()].reduce((sum, call) => sum + call.bytes, 0);
    const full = this.#calls.size >= socketLimits.calls || (held > 0 && held + bytes > callBytes);
    this.#refused = full ? this.#refused + 1 : 0;
    return full ? refusalOf('full', id) : undefined;
  }

  #begin(call: SocketCall, principal: Principal, bytes: number): void {
    const { ids, unnamedSessions } = this.#ports;
    const controller = new AbortController();
    this.#calls.set(call.id, { controller, bytes });
    const running = answerCall(this.#ports, {
      call,
      principal,
      sessionId: this.#sessionId,
      requestId: ids.uuid(),
      unnamedSessions,
      signal: controller.signal,
      send: (text) => this.#send(text),
      ending: () => void this.#calls.delete(call.id),
    })
      .catch((thrown) => this.#refuse(thrown))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  #send(text: string): Promise<void> | undefined {
    if (this.#ws.readyState !== this.#ws.OPEN) return undefined;
    if (this.#ws.bufferedAmount < behindBytes) return void this.#ws.send(text, this.#lives);
    return new Promise((resolve) =>
      this.#ws.send(text, () => {
        this.#lives();
        resolve();
      }),
    );
  }

  /** Sends the error to the caller, and closes the connection if the error's status requires it. */
  #refuse(thrown: unknown): void {
    const fault = asGatewayError(thrown);
    if (fault.kind.status >= 500) this.#ports.telemetry.log('error', fault.message, { type: fault.code });
    void this.#send(serverMessages.error(fault));
    const code = closesWith[fault.kind.status];
    if (code !== undefined) this.#close(code, fault.code);
  }

  #close(code: number, reason: string): void {
    if (this.#state === 'closing') return;
    this.#state = 'closing';
    this.#abort();
    this.#ws.resume(); // otherwise its response would never be read
    this.#ws.close(code, reason);
  }

  #abort(): void {
    for (const { controller } of this.#calls.values()) controller.abort();
  }
}

/**
 * Sets the maximum size, in bytes, of the messages that the connection accepts from this point. The handshake sets the
 * limit for connections without a key, and the library cannot change it later. A test covers both sides: a larger
 * message closes the connection before this call, and is accepted after it.
 */
function takeUpTo(ws: WebSocket, bytes: number): void {
  (ws as unknown as { _receiver: { _maxPayload: number } })._receiver._maxPayload = bytes;
}
