/**
 * Which top-level members of a request cross to the other dialect. What neither dialect knows is carried untouched; what a
 * dialect knows is translated or left out. Members that only the other dialect knows are not carried either, but for a few
 * plain settings: a `system` in a chat completions request would reach the model unseen by any policy.
 */
import type { JsonObject } from '#core/kernel/json.ts';
import { omit } from '../wire.ts';

const openaiMembers: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'stream', 'stream_options', 'n', 'stop', 'temperature', 'top_p', 'max_tokens'],
  ...['max_completion_tokens', 'tools', 'tool_choice', 'parallel_tool_calls', 'functions', 'function_call', 'user'],
  ...['safety_identifier', 'metadata', 'response_format', 'reasoning_effort', 'verbosity', 'seed', 'logprobs'],
  ...['top_logprobs', 'logit_bias', 'frequency_penalty', 'presence_penalty', 'service_tier', 'store', 'audio'],
  ...['modalities', 'moderation', 'prediction', 'prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'],
  ...['web_search_options'],
]);

const anthropicMembers: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'stream', 'system', 'stop_sequences', 'temperature', 'top_p', 'top_k', 'max_tokens'],
  ...['tools', 'tool_choice', 'metadata', 'thinking', 'output_config', 'output_format', 'service_tier', 'container'],
  ...['mcp_servers', 'context_management', 'cache_control', 'diagnostics', 'inference_geo', 'speed', 'betas'],
  ...['user_profile_id', 'workspace_id', 'anthropic_version', 'anthropic_beta'],
]);

/** Settings of the provider's own dialect that a caller of the other may name: they say nothing to the model. */
const anthropicSettings = ['top_k', 'thinking'];
const openaiSettings = ['seed', 'frequency_penalty', 'presence_penalty', 'logit_bias', 'reasoning_effort', 'verbosity'];

const notToAnthropic = beside(anthropicSettings);
const notToOpenai = beside(openaiSettings);

function beside(settings: readonly string[]): ReadonlySet<string> {
  const all = new Set([...openaiMembers, ...anthropicMembers]);
  for (const name of settings) all.delete(name);
  return all;
}

export const membersForAnthropic = (body: JsonObject): JsonObject => omit(body, notToAnthropic);
export const membersForOpenai = (body: JsonObject): JsonObject => omit(body, notToOpenai);
