/** Maps errors to members of the responses request, which was run as a chat completion [error.plain-words]. */
import type { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { objectOf, objectsOf } from '#core/kernel/narrow.ts';
import { replaceWords, withMember } from '../translate/member-path.ts';
import { originOfMessage } from './input.ts';
import { offeredTools, toolsOfNamespace } from './namespaces.ts';

const words = [
  [/^response_format\.json_schema\.schema\b.*/, 'text.format.schema'],
  [/^response_format\b.*/, 'text.format'],
  [/^((?:input\[\d+\]\.)?tools\[\d+\])\.function\b/, '$1'],
  [/^max_(?:completion_)?tokens$/, 'max_output_tokens'],
  [/^reasoning_effort$/, 'reasoning.effort'],
  [/^verbosity$/, 'text.verbosity'],
] as const;

/** Returns the error with the name of the corresponding member of the responses request. */
export function inResponsesWords(error: GatewayError, request: JsonObject): GatewayError {
  const param = error.data?.param;
  return typeof param === 'string' ? withMember(error, responsesMember(param, request)) : error;
}

function responsesMember(path: string, request: JsonObject): string {
  const [, place, part = ''] = /^messages\[(\d+)\](?:\.content(\[\d+\]))?/.exec(path) ?? [];
  if (place === undefined) return path === 'messages' ? 'input' : replaceWords(atOwnTool(path, request), words);
  const origin = originOfMessage(request.instructions, request.input, Number(place));
  if (part === '' || !origin.endsWith(']')) return origin;
  const item = objectsOf(request.input)[Number(/\d+/.exec(origin)![0])];
  return `${origin}.${item?.output === undefined ? 'content' : 'output'}${part}`;
}

/**
 * Returns the path of a tool in the request. Positions differ because some tools are left out and a namespace contains
 * several.
 */
function atOwnTool(path: string, request: JsonObject): string {
  const places = offeredTools(request).flatMap(({ path: own, tool: given }) => {
    const tool = objectOf(given);
    if (tool?.type === 'namespace') return toolsOfNamespace(tool).flatMap(({ fits }) => (fits ? [own] : []));
    return tool?.type === 'function' || tool?.type === 'custom' ? [own] : [];
  });
  return path.replace(/^tools\[(\d+)\]/, (found, place: string) => places[Number(place)] ?? found);
}
