/**
 * A chat completions request as a messages request.
 *
 * Left out, since Anthropic has no word for it: `response_format: json_object`, `logprobs`, `seed`, penalties,
 * `logit_bias`, `reasoning_effort`, `service_tier`, `store` and what else `request-members.ts` lists. Refused, since
 * leaving it out would answer another question: `n` above 1, `functions`, tools that are not functions, parts that are
 * neither text nor image nor file.
 */

import { chatSizes } from '#core/contracts/chat.ts';
import { asText } from '#core/kernel/as-text.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { countOf, member, objectOf, objectsOf, textOf } from '../wire.ts';
import { membersForAnthropic } from './request-members.ts';
import { toAnthropicMessages } from './to-anthropic-messages.ts';

/** @throws GatewayError `invalid_request` for what Anthropic's dialect cannot say. */
export function toAnthropicRequest(body: JsonObject): JsonObject {
  refuseUnsayable(body);
  const { system, messages } = toAnthropicMessages(objectsOf(body.messages));
  const tools = objectsOf(body.tools).map(toTool);
  return {
    ...membersForAnthropic(body),
    model: body.model ?? null,
    max_tokens: countOf(body.max_completion_tokens) ?? countOf(body.max_tokens) ?? chatSizes.defaultMaxTokens,
    ...member('system', system),
    messages,
    ...member('stop_sequences', toStopSequences(body.stop)),
    // Anthropic's scale ends at 1, OpenAI's at 2.
    ...member('temperature', typeof body.temperature === 'number' ? Math.min(1, body.temperature) : undefined),
    ...member('top_p', body.top_p ?? undefined),
    ...member('stream', body.stream ?? undefined),
    ...(tools.length > 0 && { tools }),
    ...member('tool_choice', tools.length > 0 ? toToolChoice(body.tool_choice, body.parallel_tool_calls) : undefined),
    ...member('metadata', toMetadata(body)),
    ...member('output_config', toOutputConfig(objectOf(body.response_format))),
  };
}

function refuseUnsayable(body: JsonObject): void {
  if ((countOf(body.n) ?? 1) > 1)
    throw invalidRequest(`n is ${asText(body.n)}; the provider of this model answers once: allowed is 1.`, {
      param: 'n',
    });
  if (objectsOf(body.functions).length > 0)
    throw invalidRequest('functions cannot be carried to the provider of this model; send tools instead.', {
      param: 'functions',
    });
}

function toTool(tool: JsonObject, index: number): JsonObject {
  const named = objectOf(tool.function);
  if (tool.type !== 'function' || named === undefined)
    throw invalidRequest(`tools[${index}] cannot be carried to the provider of this model; allowed are functions.`, {
      param: `tools[${index}]`,
    });
  return {
    name: named.name ?? '',
    ...member('description', textOf(named.description)),
    input_schema: objectOf(named.parameters) ?? { type: 'object', properties: {} },
    ...member('strict', typeof named.strict === 'boolean' ? named.strict : undefined),
    ...member('cache_control', tool.cache_control),
  };
}

function toToolChoice(choice: Json | undefined, parallel: Json | undefined): JsonObject | undefined {
  const alone: JsonObject = parallel === false ? { disable_parallel_tool_use: true } : {};
  if (choice === undefined || choice === null) return parallel === false ? { type: 'auto', ...alone } : undefined;
  if (choice === 'none') return { type: 'none' };
  if (choice === 'auto') return { type: 'auto', ...alone };
  if (choice === 'required') return { type: 'any', ...alone };
  const name = textOf(objectOf(objectOf(choice)?.function)?.name);
  if (name !== undefined) return { type: 'tool', name, ...alone };
  throw invalidRequest(
    'tool_choice is of a kind the provider of this model lacks; allowed: none, auto, required, a function.',
    {
      param: 'tool_choice',
    },
  );
}

function toStopSequences(stop: Json | undefined): Json | undefined {
  if (typeof stop === 'string') return [stop];
  return Array.isArray(stop) && stop.length > 0 ? stop : undefined;
}

function toMetadata(body: JsonObject): JsonObject | undefined {
  const user = textOf(body.user) ?? textOf(body.safety_identifier);
  return user === undefined ? undefined : { user_id: user };
}

function toOutputConfig(format: JsonObject | undefined): JsonObject | undefined {
  const schema = objectOf(objectOf(format?.json_schema)?.schema);
  return format?.type === 'json_schema' && schema ? { format: { type: 'json_schema', schema } } : undefined;
}
