/**
 * Refuses known members in a different letter case. Some servers ignore case (Go, .NET): if a body has both `Model` and
 * `model`, the model that responds could differ from the one that was allowed, counted and recorded
 * [chat.choosing-members].
 */
import { invalidRequest } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { objectOf, objectsOf } from '#core/kernel/narrow.ts';

const ofRequests: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'system', 'stream', 'stream_options', 'n', 'best_of', 'stop', 'stop_sequences', 'options'],
  ...['max_tokens', 'max_completion_tokens', 'tools', 'tool_choice', 'parallel_tool_calls', 'functions'],
  ...[
    'function_call',
    'response_format',
    'service_tier',
    'speed',
    'inference_geo',
    'container',
    'mcp_servers',
    'betas',
  ],
  ...[
    'anthropic_beta',
    'temperature',
    'top_p',
    'top_k',
    'user',
    'metadata',
    'modalities',
    'audio',
    'prediction',
    'store',
  ],
  ...['web_search_options', 'thinking', 'reasoning_effort', 'input', 'prompt', 'suffix', 'size', 'quality'],
]);
const ofOptions: ReadonlySet<string> = new Set(['num_predict']);
/** Members of messages, message parts and tool calls. */
const ofMessages: ReadonlySet<string> = new Set([
  ...['role', 'content', 'name', 'tool_calls', 'tool_call_id', 'function_call', 'type', 'text', 'id', 'function'],
  ...['arguments', 'input', 'tool_use_id', 'source', 'image_url', 'file', 'images'],
]);
const ofTools: ReadonlySet<string> = new Set([
  'type',
  'name',
  'function',
  'custom',
  'description',
  'parameters',
  'input_schema',
]);

/**
 * Checks the spelling of members. Names inside schemas, arguments and metadata are data.
 * @throws GatewayError `invalid_request` that names both spellings.
 */
export function assertOwnSpelling(body: JsonObject): void {
  checkNames(body, ofRequests, '');
  checkNames(objectOf(body.options), ofOptions, 'options.');
  for (const [at, message] of objectsOf(body.messages).entries()) checkMessage(message, `messages[${at}].`);
  for (const list of ['tools', 'functions'])
    for (const [at, tool] of objectsOf(body[list]).entries()) {
      checkNames(tool, ofTools, `${list}[${at}].`);
      checkNames(objectOf(tool.function), ofTools, `${list}[${at}].function.`);
    }
}

const deepest = 4;

/** Checks a message, a message part, or a part of a tool result. */
function checkMessage(message: JsonObject, path: string, depth = 0): void {
  checkNames(message, ofMessages, path);
  for (const [at, call] of objectsOf(message.tool_calls).entries()) {
    checkNames(call, ofMessages, `${path}tool_calls[${at}].`);
    checkNames(objectOf(call.function), ofMessages, `${path}tool_calls[${at}].function.`);
  }
  if (depth < deepest)
    for (const [at, part] of objectsOf(message.content).entries())
      checkMessage(part, `${path}content[${at}].`, depth + 1);
}

function checkNames(object: JsonObject | undefined, known: ReadonlySet<string>, path: string): void {
  for (const name in object) {
    if (plainSpelling.test(name)) continue;
    const folded = name.toUpperCase().toLowerCase();
    if (folded !== name && known.has(folded)) throw caseRefusal(path, name, folded);
  }
}

/** Pattern that nearly all names match. */
const plainSpelling = /^[a-z0-9_.-]*$/;

const caseRefusal = (path: string, name: string, known: string) =>
  invalidRequest(
    `${path}${JSON.stringify(name)} differs from ${known} only in case, and servers may confuse the two; send it as ${known}, once.`,
    { param: `${path}${name}`.slice(0, 200) },
  );
