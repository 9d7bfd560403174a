/** A model's stream on its way to the caller: translated, checked and counted; the caller of this function settles it. */

import type { ContentPolicy, Verdict } from '#core/content-policy/ports.ts';
import type { Dialect } from '#core/dialects/dialect.ts';
import { dialects } from '#core/dialects/dialects.ts';
import { isUsageOnly, isUsageRequested } from '#core/dialects/openai/openai.ts';
import { translator } from '#core/dialects/translate/translate.ts';
import { recall } from '#core/identity/federation/recall.ts';
import type { AsyncQueue } from '#core/kernel/async-queue.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { reservationLeaseSeconds } from '#core/limits/ports.ts';
import { ProviderFault } from '#core/providers/ports.ts';
import type { Answered } from '#core/routing/call-provider.ts';
import type { Answering } from '../answering.ts';
import { type ChatCall, translationContext } from '../call.ts';
import { abortReason, type ChatCallState, disconnectError, ended, noteKept } from '../call-state.ts';
import type { CompletionToolGate } from '../completion-tools.ts';
import type { ChatPorts } from '../ports.ts';
import { leavesTools } from '../structured-output.ts';
import type { ToolGate } from '../tool-gate.ts';
import { violation } from './input-policy.ts';
import { type StreamGate, streamGate } from './output-policy.ts';
import { failed } from './provider-fault.ts';

type Source = Answered & { readonly reply: { readonly type: 'stream'; readonly events: AsyncIterable<JsonObject> } };

/**
 * @returns the complete reply if the stream ended well, for the cache.
 * @throws GatewayError after the stream has begun: an event in the caller's dialect.
 */
export async function relayStream(
  ports: ChatPorts,
  state: ChatCallState,
  policy: ContentPolicy,
  source: Answered,
  answering: Answering,
): Promise<JsonObject | undefined> {
  const { call } = state;
  const tools = await toolGate(ports, call);
  const queue = answering.stream();
  state.streamed = true;
  const line = new Line(state, policy, queue, tools);
  const watches = [keepLease(ports, call), watchKey(ports, state)];
  try {
    await relayEvents(ports, state, source as Source, line);
    if (state.outcome === 'aborted') return undefined;
    state.outcome = 'completed';
    return line.reply();
  } finally {
    for (const stop of watches) stop();
    source.settleSpan({ usage: state.counted, finishReason: state.finishReason });
    state.verdict = line.verdict();
  }
}

/** The number of events after which other work has a turn. */
const turnEvents = 16;

/** Event by event until the source ends, the caller leaves or a filter blocks. */
async function relayEvents(
  ports: ChatPorts,
  state: ChatCallState,
  { provider, reply }: Source,
  line: Line,
): Promise<void> {
  const { call } = state;
  const native = dialects[provider.dialect];
  const translate = translator(call.dialect, provider.dialect).events(translationContext(call, ports.clock));
  const most = charactersOf(call);
  let events = 0;
  try {
    for await (const event of reply.events) {
      recordEvent(state, native, event, ports);
      noteKept(state, provider, event);
      if (state.outputCharacters > most || ++events > maxEvents) throw endless(state);
      if (events % turnEvents === 0) await ports.texts?.turn();
      for (const out of translate.next(event)) await line.send(out);
      // Leaving the loop closes the provider's stream.
      if (line.blocked()) throw violation(state, line.verdict());
      if (state.signal.aborted) throw abortReason(state) ?? new Gone();
    }
    for (const out of translate.end()) await line.send(out);
    await line.end();
    if (line.blocked()) throw violation(state, line.verdict());
  } catch (thrown) {
    const halted = abortReason(state);
    if (halted) {
      ended(state, 'refused', halted);
      throw halted;
    }
    if (call.signal.aborted) {
      const cancelled = disconnectError(state);
      if (cancelled) throw cancelled;
      return;
    }
    throw thrown instanceof ProviderFault ? failed(ports, state, thrown) : thrown;
  }
}

class Gone extends Error {}

/** More than any model says in one answer: a provider that never stops is a broken one. */
const maxCharacters = 8 * 1024 * 1024;
const roomyCharacters = 1024 * 1024;
/** Far beyond what the call may put out, and still a bound. */
const charactersOf = ({ maxTokens }: ChatCall): number =>
  Math.min(maxCharacters, Math.max(roomyCharacters, maxTokens * 16));
const maxEvents = 1_000_000;

const endless = ({ provider = '' }: ChatCallState) =>
  new ProviderFault(
    provider,
    'broken',
    `the stream went on far beyond what was asked for, or beyond ${maxEvents} events`,
  );

/** Counts as the provider gives them, each replacing the one before; characters for where it gives none. */
function recordEvent(state: ChatCallState, native: Dialect, event: JsonObject, { clock }: ChatPorts): void {
  const counted = native.usageOf(event);
  if (counted) state.counted = { ...state.counted, ...counted };
  const finish = native.finishReason(event);
  if (finish !== undefined) state.finishReason = finish;
  for (const { text, whole } of native.eventTexts(event)) if (!whole) state.outputCharacters += text.length;
  if (state.firstTokenMs === undefined && state.outputCharacters > 0)
    state.firstTokenMs = Math.max(0, clock.now() - state.startedMs);
}

/** What decides the tool calls of a stream; undefined where they pass as they are. */
async function toolGate(ports: ChatPorts, call: ChatCall): Promise<ToolGate | CompletionToolGate | undefined> {
  if (leavesTools(call)) return undefined;
  if (call.dialect === 'anthropic') {
    const { ToolGate } = await messagesTools();
    return new ToolGate(ports, call);
  }
  const { CompletionToolGate } = await completionTools();
  return new CompletionToolGate(ports, call);
}

/** Most chat completions pass tool calls: what decides is loaded with the first call that needs it. */
const completionTools = lazyImport(() => import('../completion-tools.ts'));
const messagesTools = lazyImport(() => import('../tool-gate.ts'));

/** The caller's end: output policy, transforms and tool decisions stand between the model and the queue. */
class Line {
  readonly #queue: AsyncQueue<JsonObject>;
  readonly #gate: StreamGate | undefined;
  readonly #tools: ToolGate | CompletionToolGate | undefined;
  readonly #collector: ReturnType<Dialect['collector']> | undefined;
  readonly #dropsUsage: boolean;

  constructor(
    state: ChatCallState,
    policy: ContentPolicy,
    queue: AsyncQueue<JsonObject>,
    tools: ToolGate | CompletionToolGate | undefined,
  ) {
    const { call } = state;
    this.#queue = queue;
    this.#gate = streamGate(state, policy);
    this.#tools = tools;
    this.#collector = state.cache === 'MISS' ? call.wire.collector() : undefined;
    this.#dropsUsage = call.dialect === 'openai' && !isUsageRequested(call.body);
  }

  async send(event: JsonObject): Promise<void> {
    if (this.#dropsUsage && isUsageOnly(event)) return this.#all(await this.#gate?.end());
    if (!this.#gate) return this.#govern(event);
    const passed = this.#gate.pass(event);
    return this.#all(Array.isArray(passed) ? passed : await passed);
  }

  async end(): Promise<void> {
    await this.#all(await this.#gate?.end());
  }

  /** What the filters found. */
  verdict = (): Verdict => this.#gate?.verdict() ?? { decision: 'allow', findings: [] };
  blocked = (): boolean => this.#gate !== undefined && this.verdict().decision !== 'allow';
  reply = (): JsonObject | undefined => this.#collector?.reply();

  async #all(events: readonly JsonObject[] = []): Promise<void> {
    for (const event of events) await this.#govern(event);
  }

  async #govern(event: JsonObject): Promise<void> {
    if (!this.#tools) return this.#out(event);
    for (const decided of await this.#tools.pass(event)) await this.#out(decided);
  }

  #out(event: JsonObject): Promise<void> | undefined {
    this.#collector?.add(event);
    return this.#queue.write(event);
  }
}

/** A stream may outlast its lease: renewed three times as often as it would end. */
const keepLease = (ports: ChatPorts, { tenant, envelopeId }: ChatCall) =>
  repeat(ports, (reservationLeaseSeconds * 1000) / 3, () => ports.counters.extend(tenant.id, envelopeId));

const keyLookMs = 4_000;

/** A key that is revoked while it streams stops within five seconds, too. */
const watchKey = (ports: ChatPorts, { call, halt }: ChatCallState) =>
  repeat(ports, keyLookMs, async () => {
    const { key_id, federated } = call.principal;
    if (await recall(await ports.snapshots.current(), key_id, federated)) return;
    halt.abort(
      new GatewayError(
        'authentication_error',
        'The key was revoked while the answer was sent, so the answer ends here. Send the request with another key.',
      ),
    );
  });

/** Work now and again until the returned function is called; what fails once may succeed the next time. */
function repeat(ports: ChatPorts, everyMs: number, work: () => Promise<void>): () => void {
  let cancel = () => {};
  const arm = () => {
    cancel = ports.timeouts.after(everyMs, () => {
      work().catch(() => {});
      arm();
    });
  };
  arm();
  return () => cancel();
}
