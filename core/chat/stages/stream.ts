/** Relays a model's stream to the caller, translating, checking and counting it. The calling stage settles it. */

import { watchKey } from '#core/configuration/identity/federation/watch-key.ts';
import type { AsyncQueue } from '#core/kernel/async-queue.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import type { ContentPolicy, Verdict } from '#core/models/content-policy/ports.ts';
import type { Dialect } from '#core/models/dialects/dialect.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { isUsageOnly, isUsageRequested } from '#core/models/dialects/openai/openai.ts';
import { translator } from '#core/models/dialects/translate/translate.ts';
import { ProviderFault } from '#core/models/providers/ports.ts';
import type { ProviderAnswer } from '#core/models/routing/call-provider.ts';
import type { AnswerReceiver } from '../answering.ts';
import { type ChatCall, translationContext } from '../call.ts';
import {
  type CheckedCall,
  endedWith,
  type FinishedCall,
  type LookedUpCall,
  type ModelCall,
  type RunningCall,
} from '../call-stages.ts';
import type { CompletionToolGate } from '../completion-tools.ts';
import type { ChatPorts } from '../ports.ts';
import { StageFailure } from '../stage-failure.ts';
import type { ToolGate } from '../tool-gate.ts';
import { leavesTools } from '../tool-use-mode.ts';
import { cancelledError, haltedBy } from './caller-gone.ts';
import { blockFailure, clean } from './input-policy.ts';
import { type StreamGate, streamGate } from './output-policy.ts';
import { providerFailure } from './provider-fault.ts';

/** Model response, with the complete reply for the cache if it completed normally. */
export interface RepliedModel extends FinishedCall {
  readonly known: CheckedCall<ModelCall<LookedUpCall>>;
  readonly reply: JsonObject | undefined;
}

/** Provider's stream, and a way to end its attempt. */
interface StreamSource extends Pick<ProviderAnswer, 'provider' | 'settleSpan'> {
  readonly events: AsyncIterable<JsonObject>;
}

/** Begins the response and returns the caller's side of the stream. */
export async function openStream(
  ports: ChatPorts,
  model: ModelCall<LookedUpCall>,
  policy: ContentPolicy,
  answering: AnswerReceiver,
): Promise<StreamToCaller> {
  const tools = await toolGate(ports, model.call);
  return new StreamToCaller(model, policy, answering.stream(model), tools);
}

/** Relays the stream. @throws GatewayError after the stream has begun, sent as an event in the caller's dialect. */
export async function relayStream(
  ports: ChatPorts,
  model: ModelCall<LookedUpCall>,
  source: StreamSource,
  stream: StreamToCaller,
): Promise<RepliedModel> {
  const stopWatching = watchOwnKey(ports, model);
  const { progress } = model;
  try {
    await relayEvents(ports, model, source, stream);
    return { known: withOutputVerdict(model, stream), ending: endedWith('completed'), reply: stream.reply() };
  } catch (thrown) {
    return { ...interruptedEnding(ports, withOutputVerdict(model, stream), thrown), reply: undefined };
  } finally {
    stopWatching();
    source.settleSpan({ usage: progress.counted, finishReasons: progress.finishReasons });
  }
}

const withOutputVerdict = (model: ModelCall<LookedUpCall>, stream: StreamToCaller) => ({
  ...model,
  outputVerdict: stream.verdict(),
});

/** Number of events to relay before other work may run. */
const turnEvents = 16;

/**
 * Relays events until the source ends, the caller disconnects or a filter blocks. Exiting the loop closes the
 * provider's stream.
 */
async function relayEvents(
  ports: ChatPorts,
  { call, provider: name, progress, signal, startedMs }: ModelCall,
  { provider, events: spoken }: StreamSource,
  stream: StreamToCaller,
): Promise<void> {
  const native = dialects[provider.dialect];
  const translate = translator(call.dialect, provider.dialect).events(translationContext(call, ports.clock));
  const elapsedMs = () => ports.clock.now() - startedMs;
  const most = charactersOf(call);
  let events = 0;
  for await (const event of spoken) {
    progress.readEvent(native, event, elapsedMs);
    if (call.keep) progress.readKeptId(provider, event);
    if (progress.outputCharacters > most || ++events > maxEvents) throw endless(name);
    if (events % turnEvents === 0) await ports.texts?.turn();
    for (const out of translate.next(event)) await stream.send(out);
    if (stream.blocked()) throw new StreamBlocked();
    if (signal.aborted) throw new CallerGone();
  }
  for (const out of translate.end()) await stream.send(out);
  await stream.end();
  if (stream.blocked()) throw new StreamBlocked();
}

class StreamBlocked extends Error {}
class CallerGone extends Error {}

/** Returns the ending of a stream that was interrupted. @throws StageFailure unless its caller has disconnected. */
function interruptedEnding<Known extends CheckedCall<ModelCall>>(
  ports: ChatPorts,
  known: Known,
  thrown: unknown,
): FinishedCall & { readonly known: Known } {
  const { call, outputVerdict } = known;
  const halted = haltedBy(known);
  if (halted) throw new StageFailure(halted, known, 'refused');
  if (call.signal.aborted) {
    const cancelled = cancelledError(call);
    if (cancelled) throw new StageFailure(cancelled, known, 'aborted');
    return { known, ending: endedWith('aborted') };
  }
  if (thrown instanceof StreamBlocked) throw blockFailure(known, outputVerdict);
  throw thrown instanceof ProviderFault ? providerFailure(ports, known, thrown) : StageFailure.of(thrown, known);
}

/**
 * Maximum length of one response: more than any model sends, but enough to stop a provider whose response never ends.
 */
const maxCharacters = 8 * 1024 * 1024;
const roomyCharacters = 1024 * 1024;
/** Returns a limit far above the call's maximum output. */
const charactersOf = ({ maxTokens }: ChatCall): number =>
  Math.min(maxCharacters, Math.max(roomyCharacters, maxTokens * 16));
const maxEvents = 1_000_000;

const endless = (provider: string) =>
  new ProviderFault(
    provider,
    'broken',
    `the stream continued far beyond the requested length, or beyond ${maxEvents} events`,
  );

/** Returns the gate that makes decisions on a stream's tool calls, or undefined if they pass without a decision. */
async function toolGate(ports: ChatPorts, call: ChatCall): Promise<ToolGate | CompletionToolGate | undefined> {
  if (leavesTools(call)) return undefined;
  if (call.dialect === 'anthropic') {
    const { ToolGate } = await messagesTools();
    return new ToolGate(ports, call);
  }
  const { CompletionToolGate } = await completionTools();
  return new CompletionToolGate(ports, call);
}

/**
 * Gate for chat completions, loaded with the first call that needs it, because most chat completions pass tool calls
 * without a decision.
 */
const completionTools = lazyImport(() => import('../completion-tools.ts'));
const messagesTools = lazyImport(() => import('../tool-gate.ts'));

/** Caller's side of a stream: output policy, transforms and tool decisions between the model and the queue. */
export class StreamToCaller {
  readonly #queue: AsyncQueue<JsonObject>;
  readonly #gate: StreamGate | undefined;
  readonly #tools: ToolGate | CompletionToolGate | undefined;
  readonly #collector: ReturnType<Dialect['collector']> | undefined;
  readonly #dropsUsage: boolean;

  constructor(
    { call, provider, lookup }: ModelCall<LookedUpCall>,
    policy: ContentPolicy,
    queue: AsyncQueue<JsonObject>,
    tools: ToolGate | CompletionToolGate | undefined,
  ) {
    this.#queue = queue;
    this.#gate = streamGate(call, policy, provider);
    this.#tools = tools;
    this.#collector = lookup?.state === 'MISS' ? call.wire.collector() : undefined;
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
    this.#tools?.end();
  }

  /** Returns the verdict of the filters. */
  verdict = (): Verdict => this.#gate?.verdict() ?? clean;
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

/** Stops the stream within five seconds of its key being revoked. */
const watchOwnKey = (ports: ChatPorts, { call, halt }: RunningCall) =>
  watchKey(ports, call.principal, () =>
    halt?.abort(
      new GatewayError(
        'authentication_error',
        'The key was revoked while the response was being sent, so the response ends here. Send the request with another key.',
      ),
    ),
  );
