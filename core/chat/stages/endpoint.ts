/**
 * Calls an endpoint other than chat, after the input policy has checked the request's text as messages
 * [passthrough.governed].
 */

import type { EndpointName, Usage } from '#core/contracts/chat.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { countOf, objectOf, textOf } from '#core/kernel/narrow.ts';
import type { ContentPolicy } from '#core/models/content-policy/ports.ts';
import { embeddingRows } from '#core/models/dialects/embedding-vectors.ts';
import { endpointBody } from '#core/models/dialects/endpoint-request.ts';
import { endpoints, pathOfEndpoint } from '#core/models/dialects/endpoints.ts';
import { leaves } from '#core/models/dialects/leaves.ts';
import { readOpenaiUsage } from '#core/models/dialects/usage.ts';
import { isDemoOf } from '#core/models/providers/demo.ts';
import type { ProviderForm } from '#core/models/providers/ports.ts';
import { callProvider } from '#core/models/routing/call-provider.ts';
import type { AnswerReceiver } from '../answering.ts';
import type { ChatCall } from '../call.ts';
import {
  type ApprovedCall,
  type BegunCall,
  type CheckedCall,
  endedWith,
  type FinishedCall,
  type ModelCall,
} from '../call-stages.ts';
import { formOf } from '../endpoint-form.ts';
import { endpointTexts } from '../endpoint-texts.ts';
import type { ChatPorts } from '../ports.ts';
import { StageFailure, withKnownCall } from '../stage-failure.ts';
import { checkReply } from './output-policy.ts';
import { beginModel } from './provider-call.ts';
import { providerFailure } from './provider-fault.ts';

/** Provider types that have endpoints other than chat. */
const having: ReadonlySet<string> = new Set(['openai', 'mock']);

/**
 * Calls the endpoint.
 * @throws GatewayError `model_not_found` if none of the model's providers has the endpoint; provider faults as for
 * chat.
 */
export async function callEndpoint(
  ports: ChatPorts,
  approved: ApprovedCall,
  policy: ContentPolicy,
  answering: AnswerReceiver,
): Promise<FinishedCall> {
  const { call } = approved;
  const name = call.operation as EndpointName;
  if (!call.plan.candidates.some(({ entry }) => having.has(entry.type))) throw notHad(call.model, name);
  const { form: isForm, speech } = endpoints[name];
  const body: JsonObject = { ...endpointBody(name, approved.body), model: call.resolvedModel };
  const before = speech ? await checkSpoken(ports, approved, policy, body) : approved;
  const form = isForm ? await withKnownCall(before, () => formOf(body, call.files)) : undefined;
  const begun = beginModel(ports, before);
  const [model, reply] = await withKnownCall(begun, () => askProvider(ports, begun, name, body, form));
  const known = speech ? model : await checkReply(ports, model, policy, reply, endpointTexts(reply));
  const answer = await withKnownCall(known, async () =>
    name === 'embeddings' ? vectorsOf(call, reply, body.encoding_format) : reply,
  );
  answering.json(200, answer);
  return { known, ending: endedWith('completed') };
}

async function askProvider(
  ports: ChatPorts,
  begun: BegunCall,
  endpoint: EndpointName,
  body: JsonObject,
  form: ProviderForm | undefined,
): Promise<[ModelCall, JsonObject]> {
  const { call, progress } = begun;
  try {
    const answered = await ports.telemetry.span('provider.call', { model: call.resolvedModel }, async (span) => {
      const found = await callProvider(ports, call.plan, {
        model: call.resolvedModel,
        stream: false,
        endpoint,
        form,
        headers: ports.telemetry.outgoing(),
        signal: begun.signal,
        bodyFor: () => body,
      });
      span.set({ provider: found.provider.name, latency_ms: Math.round(span.elapsedUs() / 1000) });
      return found;
    });
    const reply = answered.reply.type === 'json' ? answered.reply.body : {};
    progress.readModel(reply);
    count(begun, endpoint, reply);
    answered.settleSpan({ body: {}, usage: progress.counted });
    const { provider, region, attempts } = answered;
    const demo = isDemoOf(provider, call.resolvedModel);
    return [{ ...begun, provider: provider.name, region, demo, rollout: undefined, attempts, leftOut: [] }, reply];
  } catch (thrown) {
    throw providerFailure(ports, begun, thrown);
  }
}

/**
 * Checks a speech request with the reply filters before a paid provider is called, because the audio repeats the
 * request's text. Text that the filters would redact cannot be removed from audio.
 */
async function checkSpoken(
  ports: ChatPorts,
  approved: ApprovedCall,
  policy: ContentPolicy,
  body: JsonObject,
): Promise<CheckedCall<ApprovedCall>> {
  const said = structuredClone(body);
  const checked = await checkReply(ports, approved, policy, said, leaves(said, 'speech'));
  if (canonicalize(said) === canonicalize(body)) return checked;
  const fault = new GatewayError(
    'policy_violation',
    'The reply would say something that a policy removes from replies, and it cannot be removed from speech. Send text without it.',
  );
  throw new StageFailure(fault, checked, 'blocked');
}

/**
 * Counts the usage that the provider reports, or the reservation if it reports none, so that no budget is exceeded
 * unnoticed.
 */
function count({ call, progress }: BegunCall, name: EndpointName, reply: JsonObject): void {
  const { silent } = endpoints[name];
  const counted: Partial<Usage> = readOpenaiUsage(reply.usage) ?? {};
  const usage = objectOf(reply.usage) ?? {};
  const input = counted.input_tokens ?? countOf(usage.input_tokens);
  const output = silent ? 0 : (counted.output_tokens ?? countOf(usage.output_tokens));
  progress.count({
    ...counted,
    ...(input !== undefined && { input_tokens: input }),
    ...(output !== undefined && { output_tokens: output }),
  });
  if (output === undefined) progress.assumeOutput(call.maxTokens);
}

const vectorsOf = (call: ChatCall, reply: JsonObject, format: Json | undefined): JsonObject => ({
  object: 'list',
  data: embeddingRows(reply, format),
  model: textOf(reply.model) ?? call.resolvedModel,
  usage: objectOf(reply.usage) ?? { prompt_tokens: call.inputTokens, total_tokens: call.inputTokens },
});

function notHad(model: string, name: EndpointName): GatewayError {
  const what = name === 'embeddings' ? 'gives embeddings' : `has /v1${pathOfEndpoint(name)}`;
  return new GatewayError(
    'model_not_found',
    `No provider of the model ${JSON.stringify(model)} ${what}; only models of providers of type ${[...having].join(' and ')} are allowed. Set the client to such a model, or to chat completions.`,
  );
}
