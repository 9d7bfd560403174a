/** Translates a messages request in Anthropic's format into Converse input. */

import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject, objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import {
  assertAnswer,
  assertTexts,
  assertToolChoice,
  cannotCarry,
  noteBlock,
  noteRest,
} from '#core/models/dialects/translate/members.ts';
import { isSigned } from './anthropic.ts';
import { type ConversePart, cachePoint, converseMessages, isKnownLifetime } from './bedrock-messages.ts';
import type { ConverseInput } from './bedrock-port.ts';
import type { ProviderCall } from './ports.ts';
import { asUnfitRequest } from './reply.ts';

/** Members that Converse can express; all others are sent as `additionalModelRequestFields`. */
const translatedMembers: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'max_tokens',
  'temperature',
  'top_p',
  'stop_sequences',
  'stream',
  'tools',
  'tool_choice',
  'metadata',
]);

/** Translates the call. @throws UnfitRequest for content that Converse cannot express. */
export function converseInput(call: ProviderCall): ConverseInput {
  try {
    return inputOf(call);
  } catch (thrown) {
    throw asUnfitRequest(thrown);
  }
}

function inputOf({ model, body, headers }: ProviderCall): ConverseInput {
  assertAnswer(body);
  const additional: Record<string, unknown> = Object.fromEntries(
    Object.entries(body).filter(([name]) => !translatedMembers.has(name)),
  );
  const beta = headers['anthropic-beta'];
  if (beta !== undefined) additional.anthropic_beta = beta.split(',').map((word) => word.trim());
  const system = systemOf(body.system);
  const toolConfig = toolConfigOf(body);
  return {
    modelId: model,
    messages: converseMessages(objectsOf(body.messages)),
    ...(system.length > 0 && { system }),
    inferenceConfig: inferenceOf(body),
    ...(toolConfig && { toolConfig }),
    ...(Object.keys(additional).length > 0 && { additionalModelRequestFields: additional }),
  };
}

/** Returns the members of a valid body that Converse cannot express. */
export function converseLeftOut({ metadata, tools, tool_choice, system, messages }: JsonObject): string[] {
  const names: string[] = [];
  const blocks = [system, ...objectsOf(messages).map(({ content }) => content), tools].flatMap(objectsOf);
  if (blocks.some(({ cache_control }) => !isKnownLifetime(cache_control))) names.push('cache_control.ttl');
  if (isObject(metadata)) names.push('metadata');
  if (isObject(tool_choice) && tool_choice.disable_parallel_tool_use === true)
    names.push('tool_choice.disable_parallel_tool_use');
  const note = (name: string) => void (names.includes(name) || names.push(name));
  for (const tool of objectsOf(tools))
    noteRest(tool, ['type', 'name', 'description', 'input_schema', 'cache_control'], 'tools', note);
  noteRest(objectOf(tool_choice), ['type', 'name', 'disable_parallel_tool_use'], 'tool_choice', note);
  const type = objectOf(tool_choice)?.type;
  if (objectsOf(tools).length === 0 && (type === 'any' || type === 'tool')) note('tool_choice');
  for (const block of objectsOf(system)) noteBlock(block, 'system', note);
  for (const message of objectsOf(messages)) {
    noteRest(message, ['role', 'content'], 'messages', note);
    for (const block of objectsOf(message.content)) {
      noteBlock(block, 'messages.content', note);
      if (!isSigned(block)) note('messages.content.thinking');
    }
  }
  return names;
}

function systemOf(system: Json | undefined): ConversePart[] {
  assertTexts(system, 'system');
  if (typeof system === 'string') return system === '' ? [] : [{ text: system }];
  return objectsOf(system).flatMap((block) =>
    textOf(block.text) ? [{ text: textOf(block.text) }, ...cachePoint(block)] : [],
  );
}

function inferenceOf({ max_tokens, temperature, top_p, stop_sequences }: JsonObject): ConversePart {
  return {
    ...(typeof max_tokens === 'number' && { maxTokens: max_tokens }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof top_p === 'number' && { topP: top_p }),
    ...(Array.isArray(stop_sequences) && { stopSequences: stop_sequences }),
  };
}

function toolConfigOf({ tools, tool_choice, messages }: JsonObject): ConversePart | undefined {
  assertToolChoice(tool_choice, ['auto', 'any', 'tool', 'none']);
  const offered = objectsOf(tools);
  if (offered.length === 0) return toolsCalledIn(messages);
  const choice = isObject(tool_choice) ? tool_choice : {};
  if (choice.type === 'none') {
    // Converse cannot express such a choice, and requires the tools if the conversation contains calls.
    if (!objectsOf(messages).some(({ content }) => objectsOf(content).some(({ type }) => type === 'tool_use')))
      return undefined;
    throw cannotCarry('tool_choice', 'auto, any, tool', 'none');
  }
  const toolChoice =
    choice.type === 'auto'
      ? { auto: {} }
      : choice.type === 'any'
        ? { any: {} }
        : choice.type === 'tool'
          ? { tool: { name: choice.name } }
          : undefined;
  return { tools: offered.flatMap(toolOf), ...(toolChoice && { toolChoice }) };
}

/**
 * Returns the tools that a conversation has called, which Converse requires even if the caller no longer offers any.
 */
function toolsCalledIn(messages: Json | undefined): ConversePart | undefined {
  const blocks = objectsOf(messages).flatMap(({ content }) => objectsOf(content));
  const names = new Set(blocks.flatMap(({ type, name }) => (type === 'tool_use' && name !== undefined ? [name] : [])));
  const tools = [...names].map((name) => ({ toolSpec: { name, inputSchema: { json: { type: 'object' } } } }));
  return tools.length > 0 ? { tools } : undefined;
}

function toolOf(tool: JsonObject, index: number): ConversePart[] {
  const { name, description, input_schema } = tool;
  if (!isObject(input_schema)) throw cannotCarry(`tools[${index}]`, 'tools with an input_schema', tool.type);
  const described = typeof description === 'string' && description !== '' && { description };
  return [{ toolSpec: { name, ...described, inputSchema: { json: input_schema } } }, ...cachePoint(tool)];
}
