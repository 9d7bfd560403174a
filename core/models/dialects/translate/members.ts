/**
 * Rules for each top-level member of a request that is translated to the other dialect [chat.translated-members].
 * Members without a rule are passed through unchanged. A member is refused if dropping it would change the answer;
 * otherwise it is left out and listed by name.
 */
import { invalidRequest } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject, objectOf, objectsOf } from '#core/kernel/narrow.ts';

type Treatment =
  /** Expressed in the other dialect by the translation. */
  | 'translated'
  /**
   * Setting of the provider's own dialect that means nothing to the model. Callers that use the other dialect may also
   * set it.
   */
  | 'carried'
  | 'left out'
  | 'refused';

interface Member {
  readonly is: Treatment;
  /** Allowed values of a refused member. */
  readonly allowed?: string;
  /** Checks whether a value has no effect, in which case it is dropped silently. */
  readonly asksNothing?: (value: Json) => boolean;
}

export type Members = Readonly<Record<string, Member>>;
/** Receives the name of a member that is left out. */
export type Note = (name: string) => void;

export const translated: Member = { is: 'translated' };
const carried: Member = { is: 'carried' };
export const leftOut: Member = { is: 'left out' };
export const neutralValues = (...values: Json[]): Pick<Member, 'asksNothing'> => ({
  asksNothing: (value) => values.includes(value),
});
const refusedMember = (allowed: string, more: Pick<Member, 'asksNothing'> = {}): Member => ({
  is: 'refused',
  allowed,
  ...more,
});
const leaveOut = 'leave it out';
export const membersNamed = (names: readonly string[], member: Member): Members =>
  Object.fromEntries(names.map((name) => [name, member]));

/**
 * OpenAI members that both directions refuse, because the response would lack requested content or contain excluded
 * content.
 */
export const askedOfOpenai: Members = {
  n: refusedMember('1', neutralValues(1)),
  functions: refusedMember('tools', { asksNothing: (value) => Array.isArray(value) && value.length === 0 }),
  logprobs: refusedMember('false', neutralValues(false)),
  top_logprobs: refusedMember('0', neutralValues(0)),
  logit_bias: refusedMember('an empty object', {
    asksNothing: (value) => isObject(value) && Object.keys(value).length === 0,
  }),
  audio: refusedMember(leaveOut),
  modalities: refusedMember('["text"]', {
    asksNothing: (value) => Array.isArray(value) && value.every((kind) => kind === 'text'),
  }),
  web_search_options: refusedMember(leaveOut),
};

/** OpenAI members whose loss affects sampling, cost or speed, but not the kind of answer. */
export const hintsOfOpenai: Members = {
  ...membersNamed(['reasoning_effort', 'verbosity', 'seed', 'metadata', 'moderation', 'prediction'], leftOut),
  ...membersNamed(['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'], leftOut),
  frequency_penalty: { ...leftOut, ...neutralValues(0) },
  presence_penalty: { ...leftOut, ...neutralValues(0) },
  service_tier: { ...leftOut, ...neutralValues('auto', 'default') },
  store: { ...leftOut, ...neutralValues(false) },
};

const ofAnthropic: Members = {
  ...membersNamed(
    ['context_management', 'cache_control', 'diagnostics', 'betas', 'user_profile_id', 'workspace_id'],
    leftOut,
  ),
  ...membersNamed(['anthropic_version', 'anthropic_beta'], leftOut),
  thinking: { ...leftOut, asksNothing: (value) => isObject(value) && value.type === 'disabled' },
  top_k: leftOut,
  speed: { ...leftOut, ...neutralValues('standard') },
  service_tier: hintsOfOpenai.service_tier!,
  mcp_servers: refusedMember('tools', { asksNothing: (value) => Array.isArray(value) && value.length === 0 }),
  container: refusedMember(leaveOut),
  // The processing location is a promise to the people whose data is processed.
  inference_geo: refusedMember(leaveOut),
};

/** Chat completions → messages. */
export const membersToAnthropic: Members = {
  ...ofAnthropic,
  ...hintsOfOpenai,
  ...askedOfOpenai,
  ...membersNamed(
    ['model', 'messages', 'stream', 'stream_options', 'stop', 'temperature', 'top_p', 'max_tokens'],
    translated,
  ),
  ...membersNamed(
    ['max_completion_tokens', 'tools', 'tool_choice', 'parallel_tool_calls', 'function_call'],
    translated,
  ),
  ...membersNamed(['user', 'safety_identifier', 'response_format'], translated),
  ...membersNamed(['top_k', 'thinking'], carried),
  // These would reach the model or shape the answer without being seen by code that reads chat completions.
  system: refusedMember('a system message'),
  stop_sequences: refusedMember('stop'),
  output_config: refusedMember('response_format'),
  output_format: refusedMember('response_format'),
};

/** Messages → chat completions. */
export const membersToOpenai: Members = {
  ...hintsOfOpenai,
  ...askedOfOpenai,
  ...ofAnthropic,
  ...membersNamed(
    ['model', 'messages', 'stream', 'system', 'stop_sequences', 'temperature', 'top_p', 'max_tokens'],
    translated,
  ),
  ...membersNamed(['tools', 'tool_choice', 'metadata', 'output_config', 'output_format'], translated),
  ...membersNamed(
    ['seed', 'frequency_penalty', 'presence_penalty', 'logit_bias', 'reasoning_effort', 'verbosity'],
    carried,
  ),
  ...membersNamed(['user', 'safety_identifier', 'stream_options'], leftOut),
  stop: refusedMember('stop_sequences'),
  max_completion_tokens: refusedMember('max_tokens'),
  response_format: refusedMember('output_config'),
  parallel_tool_calls: refusedMember('tool_choice.disable_parallel_tool_use', neutralValues(true)),
  function_call: refusedMember('tool_choice'),
};

/**
 * Returns the members that are passed through unchanged and notes the others.
 * @throws GatewayError `invalid_request` with `reason: unsupported_parameter`.
 */
export function crossing(body: JsonObject, members: Members, note: Note): JsonObject {
  const crossed: JsonObject = {};
  for (const [name, value] of Object.entries(body)) {
    const { is, allowed, asksNothing } = (Object.hasOwn(members, name) && members[name]) || carried;
    if (is === 'carried') crossed[name] = value;
    else if (is !== 'translated' && value !== null && !asksNothing?.(value)) {
      if (is === 'refused') throw cannotCarry(name, allowed!, typeof value === 'string' ? undefined : value);
      note(name);
    }
  }
  return crossed;
}

/** Notes the paths of those members, in a part of the request, that no rule reads. */
export function noteRest(part: JsonObject | undefined, read: readonly string[], path: string, note: Note): void {
  for (const [name, value] of Object.entries(part ?? {}))
    if (value !== null && !read.includes(name) && !(emptyLists.has(name) && isEmptyList(value)))
      note(`${path}.${name}`);
}

/** Lists that providers send empty and clients send back. */
const emptyLists: ReadonlySet<string> = new Set(['annotations', 'citations', 'logprobs', 'tool_calls']);
const isEmptyList = (value: Json): boolean => Array.isArray(value) && value.length === 0;

/** Notes members of a chat completion's call that no rule reads. */
export function noteCall(call: JsonObject, note: Note): void {
  const path = 'messages.tool_calls';
  noteRest(call, ['id', 'type', 'index', 'function', 'custom'], path, note);
  noteRest(objectOf(call.function), ['name', 'arguments'], `${path}.function`, note);
  noteRest(objectOf(call.custom), ['name', 'input'], `${path}.custom`, note);
}

/**
 * Notes members of a content part that no rule reads.
 * @param read names of the members that the provider can express.
 */
export function notePart(part: JsonObject, read: readonly string[], note: Note): void {
  const path = 'messages.content';
  noteRest(part, ['type', 'text', 'refusal', 'image_url', 'file', ...read], path, note);
  noteRest(objectOf(part.file), ['file_data', 'filename'], `${path}.file`, note);
  const { detail = 'auto', ...image } = objectOf(part.image_url) ?? {};
  noteRest(image, ['url'], `${path}.image_url`, note);
  if (detail !== 'auto' && detail !== null) note('image_url.detail');
}

/** Members of Anthropic blocks that translations read, excluding cache breakpoints. */
const ofBlocks: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['source'],
  document: ['source', 'title', 'context', 'citations'],
  search_result: ['source', 'title', 'content', 'citations'],
  tool_use: ['id', 'name', 'input'],
  tool_result: ['tool_use_id', 'content', 'is_error'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
};

/** Notes members of an Anthropic block that no rule reads. Blocks of other types are refused, or noted as a whole. */
export function noteBlock(block: JsonObject, path: string, note: Note): void {
  const read = typeof block.type === 'string' && Object.hasOwn(ofBlocks, block.type) ? ofBlocks[block.type] : undefined;
  if (!read) return;
  noteRest(block, ['type', 'cache_control', ...read], path, note);
  for (const inner of objectsOf(block.content)) noteBlock(inner, `${path}.content`, note);
}

/** Notes stream options. Disabled padding needs no note. */
export function noteStreamOptions(options: JsonObject | undefined, note: Note): void {
  const padding = options?.include_obfuscation === false ? ['include_obfuscation'] : [];
  noteRest(options, ['include_usage', ...padding], 'stream_options', note);
}

/**
 * Notes members of a response format that no rule reads. Its name is only a label, and a guaranteed schema satisfies
 * both values of `strict`.
 */
export function noteFormat(format: JsonObject | undefined, note: Note): void {
  noteRest(format, ['type', 'json_schema'], 'response_format', note);
  noteRest(objectOf(format?.json_schema), ['name', 'schema', 'strict'], 'response_format.json_schema', note);
}

/**
 * Returns the refusal for a member that the model's provider cannot express, stating what was found and what is
 * allowed. Only numbers, booleans and types are shown, because other values may contain a prompt or a secret.
 */
export function cannotCarry(param: string, allowed: string, found?: Json) {
  const value =
    found === undefined || typeof found === 'object' ? '' : ` (${JSON.stringify(found).slice(0, maxShown)})`;
  return invalidRequest(`${param}${value} cannot be carried to the provider of this model; allowed: ${allowed}.`, {
    param,
    reason: 'unsupported_parameter',
  });
}

const maxShown = 64;

/**
 * Refuses a request for no answer, which fills the prompt cache at Anthropic only.
 * @throws GatewayError `invalid_request`
 */
export function assertAnswer({ max_tokens }: JsonObject): void {
  if (max_tokens === 0) throw cannotCarry('max_tokens', 'a whole number from 1', max_tokens);
}

/**
 * Refuses a role that the provider's dialect cannot express, rather than replacing it.
 * @throws GatewayError `invalid_request`
 */
export function assertRole(message: JsonObject, path: string, allowed: readonly string[]): void {
  const { role } = message;
  if (typeof role !== 'string' || !allowed.includes(role))
    throw cannotCarry(`${path}.role`, allowed.join(', '), role ?? null);
}

/** Refuses non-text blocks where only text can be expressed. @throws GatewayError `invalid_request` */
export function assertTexts(content: Json | undefined, path: string): void {
  const blocks = Array.isArray(content) ? content : [];
  for (const [at, block] of blocks.entries())
    if (objectOf(block)?.type !== 'text')
      throw cannotCarry(`${path}[${at}]`, 'blocks of type text', objectOf(block)?.type ?? null);
}

/**
 * Refuses a tool choice in a messages request if its type is missing or not allowed. @throws GatewayError
 * `invalid_request`
 */
export function assertToolChoice(choice: Json | undefined, allowed: readonly string[]): void {
  if (choice === undefined || choice === null) return;
  const given = objectOf(choice);
  if (!given) throw cannotCarry('tool_choice', `an object with the type ${allowed.join(', ')}`);
  if (typeof given.type !== 'string' || !allowed.includes(given.type))
    throw cannotCarry('tool_choice.type', allowed.join(', '), given.type ?? null);
}

/** Message roles in Anthropic's dialect. */
export const rolesOfAnthropic = ['user', 'assistant', 'system'] as const;
/** Message roles in chat completions. */
export const rolesOfOpenai = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;
