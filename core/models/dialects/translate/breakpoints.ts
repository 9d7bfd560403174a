/** Breakpoints of the prompt cache: Anthropic accepts four per request; chat completions have no limit. */
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject, objectsOf } from '#core/kernel/narrow.ts';
import type { Note } from './members.ts';

const most = 4;

/**
 * Returns tools, system prompt and messages with their last breakpoints, which cover the longest prefixes of the
 * request.
 */
export function withinBreakpoints(request: JsonObject, note: Note): JsonObject {
  const holders = [request.tools, request.system, ...objectsOf(request.messages).map(({ content }) => content)];
  const marked = holders.flatMap((content) => objectsOf(content).flatMap(breakpoints));
  const excess = new Set(marked.slice(0, Math.max(0, marked.length - most)));
  if (excess.size === 0) return request;
  note('cache_control');
  return without(request, excess) as JsonObject;
}

/** Returns the breakpoints of a block, those of a tool result before its own. */
const breakpoints = (block: JsonObject): JsonObject[] => [
  ...objectsOf(block.content).flatMap(breakpoints),
  ...(isObject(block.cache_control) ? [block.cache_control] : []),
];

function without(value: Json, excess: ReadonlySet<Json>): Json {
  if (Array.isArray(value)) return value.map((item) => without(item, excess));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => (excess.has(item) ? [] : [[name, without(item, excess)]])),
  );
}
