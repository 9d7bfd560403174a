/**
 * A messages request as a chat completions request.
 *
 * Left out, since chat completions have no word for it: `thinking`, `top_k`, `container`, `service_tier`, cache control
 * and what else `request-members.ts` lists. Refused, since an agent would miss them: tools the provider itself runs,
 * `mcp_servers`.
 */
import { chatSizes } from '#core/contracts/chat.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { countOf, member, objectOf, objectsOf, textOf } from '../wire.ts';
import { membersForOpenai } from './request-members.ts';
import { toOpenaiMessages } from './to-openai-messages.ts';

/** @throws GatewayError `invalid_request` for what OpenAI's dialect cannot say. */
export function toOpenaiRequest(body: JsonObject): JsonObject {
  if (objectsOf(body.mcp_servers).length > 0)
    throw invalidRequest('mcp_servers cannot be carried to the provider of this model; send tools instead.', {
      param: 'mcp_servers',
    });
  const tools = objectsOf(body.tools).map(toTool);
  const stops = Array.isArray(body.stop_sequences) && body.stop_sequences.length > 0 ? body.stop_sequences : undefined;
  return {
    ...membersForOpenai(body),
    model: body.model ?? null,
    messages: toOpenaiMessages(body),
    [maxTokensMember(textOf(body.model) ?? '')]: countOf(body.max_tokens) ?? chatSizes.defaultMaxTokens,
    ...member('stop', stops),
    ...member('temperature', body.temperature ?? undefined),
    ...member('top_p', body.top_p ?? undefined),
    ...member('stream', body.stream ?? undefined),
    ...(body.stream === true && { stream_options: { include_usage: true } }),
    ...(tools.length > 0 && { tools, ...toToolChoice(objectOf(body.tool_choice)) }),
    ...member('user', toUser(textOf(objectOf(body.metadata)?.user_id))),
    ...member('response_format', toResponseFormat(objectOf(objectOf(body.output_config)?.format))),
  };
}

/** Reasoning models take the newer name only; most servers of this dialect know the older one only. */
const maxTokensMember = (model: string): string =>
  /(^|\/)(o\d|gpt-[5-9])/.test(model) ? 'max_completion_tokens' : 'max_tokens';

function toTool(tool: JsonObject, index: number): JsonObject {
  if (tool.type !== undefined && tool.type !== null && tool.type !== 'custom')
    throw invalidRequest(
      `tools[${index}] is run by a provider of another kind than this model's; allowed are tools with an input_schema.`,
      { param: `tools[${index}].type` },
    );
  return {
    type: 'function',
    function: {
      name: tool.name ?? '',
      ...member('description', textOf(tool.description)),
      parameters: objectOf(tool.input_schema) ?? { type: 'object', properties: {} },
      ...member('strict', typeof tool.strict === 'boolean' ? tool.strict : undefined),
    },
  };
}

const choices: Readonly<Record<string, string>> = { auto: 'auto', any: 'required', none: 'none' };

function toToolChoice(choice: JsonObject | undefined): JsonObject {
  if (choice === undefined) return {};
  const named = choice.type === 'tool' ? { type: 'function', function: { name: choice.name ?? '' } } : undefined;
  return {
    ...member('tool_choice', named ?? choices[textOf(choice.type) ?? '']),
    ...(choice.disable_parallel_tool_use === true && { parallel_tool_calls: false }),
  };
}

const longestUser = 64;

/** OpenAI takes 64 characters; a longer id becomes its digest, which distinguishes users as well. */
const toUser = (id: string | undefined): string | undefined =>
  id !== undefined && id.length > longestUser ? sha256(id) : id;

function toResponseFormat(format: JsonObject | undefined): JsonObject | undefined {
  const schema = objectOf(format?.schema);
  return format?.type === 'json_schema' && schema
    ? { type: 'json_schema', json_schema: { name: 'output', schema } }
    : undefined;
}
