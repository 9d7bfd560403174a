/**
 * Built-in provider that runs in process and always gives the same response to the same request, so that routes,
 * policies and clients can be tried without a model. Scripted answers take precedence.
 */
import type { MockScript, ProviderEntry } from '#core/contracts/config.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { Clock, Timeouts } from '#core/kernel/ports.ts';
import { mockModelName } from './demo.ts';
import { awaitFirstEvent } from './http-provider.ts';
import { lastUserText, type MockReply, mockChunks, mockCompletion } from './mock-reply.ts';
import { pause } from './pause.ts';
import { type Provider, type ProviderCall, ProviderFault } from './ports.ts';
import { refusalFault } from './refusal.ts';

interface MockPorts {
  readonly clock: Clock;
  readonly timeouts: Timeouts;
}

type ScriptedReply = MockScript['replies'][number];

/** Tokens per word, the unit in which the pace is measured. */
const tokensPerChunk = 1;

export function mockProvider(entry: ProviderEntry, { clock, timeouts }: MockPorts): Provider {
  const { name, timeout_ms, region, script } = entry;

  const waited = async (ms: number, signal: AbortSignal): Promise<void> => {
    await pause(timeouts, Math.min(ms, timeout_ms), signal);
    if (signal.aborted) throw new ProviderFault(name, 'aborted', `the call to ${name} was aborted`);
    if (ms > timeout_ms) throw new ProviderFault(name, 'timeout', `${name}: no byte within ${timeout_ms} ms`);
  };

  async function* streamed(call: ProviderCall, chunks: readonly JsonObject[], breakAfter: number | undefined) {
    const paceMs = script?.tokens_per_second ? (1000 * tokensPerChunk) / script.tokens_per_second : 0;
    for (const [at, chunk] of chunks.entries()) {
      if (at === breakAfter) throw new ProviderFault(name, 'broken', `${name} was scripted to break here`);
      if (at > 0) await waited(paceMs, call.signal);
      yield chunk;
    }
    return undefined;
  }

  return {
    name,
    type: 'mock',
    dialect: 'openai',
    region,

    async post(endpoint, { body, model }) {
      const { mockAnswer } = await import('./mock-endpoints.ts');
      return mockAnswer(endpoint, { body, model: mockModelName(model), created: Math.floor(clock.now() / 1000) });
    },

    async call(call) {
      const asked = lastUserText(call.body);
      const scripted = script?.replies.find(({ contains }) => asked.includes(contains));
      await waited(scripted?.latency_ms ?? entry.latency_ms ?? 0, call.signal);
      refuseAsScripted(name, scripted);
      const reply = replyTo(call, asked, scripted, clock);
      if (!call.stream) return { type: 'json', body: mockCompletion(reply) };
      return {
        type: 'stream',
        events: await awaitFirstEvent(name, streamed(call, mockChunks(reply), scripted?.break_after)),
      };
    },
  };
}

function refuseAsScripted(provider: string, scripted: ScriptedReply | undefined): void {
  if (scripted?.status === undefined) return;
  const { status } = scripted;
  throw refusalFault({ provider, status, type: 'scripted_error', message: `scripted to answer ${status}` });
}

function replyTo(call: ProviderCall, asked: string, scripted: ScriptedReply | undefined, clock: Clock): MockReply {
  const { stream: _stream, stream_options: _options, ...question } = call.body;
  const own = [...asked.slice(0, 400)].slice(0, 200).join('').toWellFormed();
  return {
    id: digestOf({ ...question, model: call.model }).slice(0, 24),
    createdAt: Math.floor(clock.now() / 1000),
    model: mockModelName(call.model),
    body: call.body,
    text: scripted?.text ?? (scripted?.tool_calls ? '' : own === '' ? 'Mock reply.' : `Mock reply to: ${own}`),
    toolCalls: scripted?.tool_calls ?? [],
  };
}
