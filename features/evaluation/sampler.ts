/** Queues a sample of answered calls for the evaluator, after their callers have received the answer. */

import { deliveryId } from '#core/approvals/notifications/enqueue.ts';
import type { RunningCall } from '#core/chat/call-stages.ts';
import { callUsage } from '#core/chat/call-usage.ts';
import { providerOf } from '#core/chat/known-facts.ts';
import type { AnswerSampler } from '#core/chat/ports.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { TextSlot } from '#core/models/dialects/dialect.ts';
import { isEndpoint } from '#core/models/dialects/endpoints.ts';
import { excerptOf, isSampled } from './excerpt.ts';

export const answerSampler: AnswerSampler = { sampleOf, submit };

function sampleOf({ call }: Pick<RunningCall, 'call'>): number | undefined {
  const { url, sample_rate, max_characters } = call.snapshot.configuration.evaluation;
  if (url === undefined || isEndpoint(call.operation) || call.storing) return undefined;
  return isSampled(call.envelopeId, sample_rate) ? max_characters : undefined;
}

/** Returns as much of the conversation as the excerpt may need. */
function promptOf(slots: readonly TextSlot[], enough: number): string {
  let text = '';
  for (const slot of slots) {
    if (slot.kind !== 'text' && slot.kind !== 'system') continue;
    text += `${text === '' ? '' : '\n'}${slot.text.slice(0, enough)}`;
    if (text.length > enough) break;
  }
  return text;
}

/** Queues a call. If queuing fails, the call is not evaluated and the failure is logged. */
async function submit(...[ports, ended, recorded, most, answer]: Parameters<AnswerSampler['submit']>): Promise<void> {
  const { deliveries, clock, telemetry } = ports;
  const {
    known,
    ending: { outcome },
  } = ended;
  const { call } = known;
  if (!recorded || (outcome !== 'completed' && outcome !== 'cached')) return;
  // Building the excerpt requires some text beyond its own length.
  const prompt = excerptOf(promptOf(call.wire.requestTexts(call.body), 2 * most + 8_192), most);
  const response = excerptOf(answer, most);
  const usage = callUsage(known);
  const delivery = {
    id: deliveryId(call.envelopeId, 'evaluation', 'evaluation'),
    ...({ channel: 'evaluation', event: 'evaluation', envelope_id: call.envelopeId, tenant: call.tenant.id } as const),
    evaluation: {
      at: recorded.at,
      message: {
        request_id: call.requestId,
        tenant: call.tenant.id,
        session_id: call.sessionId,
        model: call.resolvedModel,
        provider: providerOf(known) ?? null,
        prompt: prompt.text,
        response: response.text,
        truncated: prompt.truncated || response.truncated,
        latency_ms: recorded.latencyMs,
        tokens: { input: usage.input_tokens, output: usage.output_tokens },
        finish_reason: known.progress?.finishReason ?? null,
        evidence_hash: recorded.hash,
        traceparent: telemetry.outgoing().traceparent ?? null,
      },
    },
    ...({ attempts: 0, due_at: isoTime(clock.now()), state: 'due' } as const),
  };
  await deliveries.enqueue(delivery).catch((fault: Error) =>
    telemetry.log('warn', 'a call was not queued for evaluation', {
      envelope_id: call.envelopeId,
      error: fault.message,
    }),
  );
}
