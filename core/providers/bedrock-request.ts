/** A messages request in Anthropic's form as the input of Converse. */
import { cannotCarry, noteRest } from '#core/dialects/translate/members.ts';
import { isObject, objectsOf, textOf } from '#core/dialects/wire.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import type { ConverseInput } from './bedrock-port.ts';
import type { ProviderCall } from './ports.ts';
import { UnfitRequest, unfit } from './reply.ts';

type Part = Readonly<Record<string, unknown>>;

/** Members Converse has a place for; all others travel as `additionalModelRequestFields`. */
const known: ReadonlySet<string> = new Set([
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

/** @throws UnfitRequest for content Converse has no form for. */
export function converseInput({ model, body, headers }: ProviderCall): ConverseInput {
  const additional: Record<string, unknown> = Object.fromEntries(
    Object.entries(body).filter(([name]) => !known.has(name)),
  );
  const beta = headers['anthropic-beta'];
  if (beta !== undefined) additional.anthropic_beta = beta.split(',').map((word) => word.trim());
  const system = systemOf(body.system);
  const toolConfig = toolConfigOf(body);
  return {
    modelId: model,
    messages: objectsOf(body.messages).map(({ role, content }) => ({ role, content: contentOf(content) })),
    ...(system.length > 0 && { system }),
    inferenceConfig: inferenceOf(body),
    ...(toolConfig && { toolConfig }),
    ...(Object.keys(additional).length > 0 && { additionalModelRequestFields: additional }),
  };
}

/** Of a body that fits, what Converse has no place for. */
export function converseLeftOut({ metadata, tools, tool_choice }: JsonObject): string[] {
  const names: string[] = [];
  if (isObject(metadata)) names.push('metadata');
  if (isObject(tool_choice) && tool_choice.disable_parallel_tool_use === true)
    names.push('tool_choice.disable_parallel_tool_use');
  for (const tool of objectsOf(tools))
    noteRest(tool, ['type', 'name', 'description', 'input_schema', 'cache_control'], 'tools', (name) =>
      names.push(name),
    );
  return names;
}

const systemOf = (system: Json | undefined): Part[] => {
  if (typeof system === 'string') return system === '' ? [] : [{ text: system }];
  return objectsOf(system).flatMap((block) => [{ text: textOf(block.text) ?? '' }, ...cachePoint(block)]);
};

function inferenceOf({ max_tokens, temperature, top_p, stop_sequences }: JsonObject): Part {
  return {
    ...(typeof max_tokens === 'number' && { maxTokens: max_tokens }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof top_p === 'number' && { topP: top_p }),
    ...(Array.isArray(stop_sequences) && { stopSequences: stop_sequences }),
  };
}

function toolConfigOf({ tools, tool_choice, messages }: JsonObject): Part | undefined {
  const offered = objectsOf(tools);
  if (offered.length === 0) return undefined;
  const choice = isObject(tool_choice) ? tool_choice : {};
  if (choice.type === 'none') {
    // Converse has no word for it, and wants the tools where the conversation holds calls.
    if (!objectsOf(messages).some(({ content }) => objectsOf(content).some(({ type }) => type === 'tool_use')))
      return undefined;
    throw unfit(cannotCarry('tool_choice', 'auto, any, tool', 'none'));
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

function toolOf(tool: JsonObject): Part[] {
  const { name, description, input_schema } = tool;
  if (!isObject(input_schema))
    throw new UnfitRequest(`This model takes tools with an input_schema only; ${JSON.stringify(name)} has none.`);
  const described = typeof description === 'string' && description !== '' && { description };
  return [{ toolSpec: { name, ...described, inputSchema: { json: input_schema } } }, ...cachePoint(tool)];
}

const contentOf = (content: Json | undefined): Part[] =>
  typeof content === 'string'
    ? [{ text: content }]
    : objectsOf(content).flatMap((block) => [partOf(block), ...cachePoint(block)]);

function partOf(block: JsonObject): Part {
  switch (block.type) {
    case 'text':
      return { text: textOf(block.text) ?? '' };
    case 'image':
      return { image: { format: formatOf(block), source: { bytes: bytesOf(block) } } };
    case 'document':
      return documentOf(block);
    case 'tool_use':
      return { toolUse: { toolUseId: block.id, name: block.name, input: block.input ?? {} } };
    case 'tool_result':
      return { toolResult: toolResultOf(block) };
    case 'thinking':
      return {
        reasoningContent: { reasoningText: { text: textOf(block.thinking) ?? '', signature: block.signature } },
      };
    case 'redacted_thinking':
      return { reasoningContent: { redactedContent: decoded(textOf(block.data) ?? '') } };
    default:
      throw new UnfitRequest(`This model cannot be given content of type ${JSON.stringify(block.type ?? null)}.`);
  }
}

function documentOf(block: JsonObject): Part {
  if (isObject(block.citations) && block.citations.enabled === true)
    throw unfit(cannotCarry('messages[].content[].citations', 'enabled: false'));
  const source = isObject(block.source) ? block.source : {};
  // Converse allows few characters in names, and wants one.
  const name = (textOf(block.title) ?? '').replace(/[^A-Za-z0-9 ()[\]-]+/g, '-') || 'document';
  if (source.type === 'text')
    return {
      document: { format: 'txt', name, source: { bytes: new TextEncoder().encode(textOf(source.data) ?? '') } },
    };
  return { document: { format: formatOf(block), name, source: { bytes: bytesOf(block) } } };
}

function toolResultOf({ tool_use_id, content, is_error }: JsonObject): Part {
  return {
    toolUseId: tool_use_id,
    content: content === undefined ? [] : contentOf(content),
    ...(is_error === true && { status: 'error' }),
  };
}

const cachePoint = ({ cache_control }: JsonObject): Part[] =>
  isObject(cache_control) ? [{ cachePoint: { type: 'default' } }] : [];

const formatOf = ({ source }: JsonObject): string =>
  (textOf(isObject(source) ? source.media_type : undefined) ?? '').replace(/^[^/]*\//, '');

function bytesOf({ type, source }: JsonObject): Uint8Array {
  if (!isObject(source) || source.type !== 'base64')
    throw new UnfitRequest(`This model takes a content block of type ${JSON.stringify(type)} in base64 only.`);
  return decoded(textOf(source.data) ?? '');
}

const decoded = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'));
