/** A tool call as the policy sees it: protocol, name, target, capability. */

import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import {
  type ActionRequest,
  actionRequestSchema,
  type Capability,
  type Placement,
  sizes,
} from '#core/contracts/envelope.ts';
import { describeIssue } from '#core/kernel/issue-words.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { capabilityOfCall } from '#core/policy/classification/agreed-capability.ts';
import { capabilityFromName } from '#core/policy/classification/classify-tool.ts';
import { targetFromArguments } from '#core/policy/classification/target.ts';
import { globMatches } from '#core/text/matching/glob.ts';
import { invalidParams } from '../protocol/messages.ts';
import { assertOwnNames } from './argument-names.ts';
import type { ListedTool } from './tool-list.ts';

/** One tool behind the gateway, by its names and its definition. */
export interface NamedTool {
  readonly entry: McpUpstreamEntry;
  /** As its server describes it. */
  readonly definition: JsonObject;
  /** Its name there. */
  readonly own: string;
  /** Its name for clients. */
  readonly exposed: string;
}

/** One tool of a list that was read. */
export interface Tool extends NamedTool {
  /** As it was listed, with what was found of it since. */
  readonly listed: ListedTool;
}

/** What is known of a tool before it is called. */
export interface ToolWords {
  readonly protocol: string;
  readonly tool: string;
  readonly capability: Capability;
  readonly upstream: string;
}

/** @param name the tool's name for policies; its own unless the configuration gives another. */
export function wordsOf({ entry, own, definition }: NamedTool, name: string = own): ToolWords {
  const override = overrideOf(entry, own);
  return {
    protocol: override?.protocol ?? 'mcp',
    tool: override?.name ?? name,
    capability: override?.capability ?? capabilityFromName(own, definition.annotations),
    upstream: entry.name,
  };
}

const changes = lazyImport(() => import('#core/guard/changes.ts'));

/** Where a call of the tool goes, for one that policies know as `name`. */
export async function placementIn(
  { entry, own, definition }: NamedTool,
  name: string,
  args: Readonly<Record<string, unknown>> | undefined,
): Promise<Placement> {
  const { meaningDigest } = await changes();
  const placement = { upstream: entry.name, definition: meaningDigest(definition, args ?? {}) };
  return name === own ? placement : { ...placement, upstream_tool: own };
}

/** @throws RpcFault -32602 for arguments that no envelope can hold, and for names that a server may take for others. */
export async function actionOf(
  tool: NamedTool,
  name: string,
  args: JsonObject,
): Promise<ActionRequest & { parameters: JsonObject }> {
  assertOwnNames(tool.definition.inputSchema, args);
  const target = targetFromArguments(args, overrideOf(tool.entry, tool.own)?.target);
  const words = wordsOf(tool, name);
  const capability = await capabilityOfCall(words.capability, { ...words, tool: tool.own, parameters: args });
  return governable({ ...words, capability, target, parameters: args });
}

/** What is known of a call whose tool no server lists; undefined where no envelope can hold it. */
export function actionOfUnplaced(
  name: string,
  args: JsonObject,
  upstream: string | undefined,
): ActionRequest | undefined {
  const words = { protocol: 'mcp', tool: name, capability: capabilityFromName(name) };
  const call = { ...words, target: targetFromArguments(args), parameters: args };
  return actionRequestSchema.safeParse({ ...call, ...(upstream !== undefined && { upstream }) }).data;
}

/** @throws RpcFault -32602 for a request that no envelope can hold. */
export function governable(
  request: ToolWords & { readonly target: string; readonly parameters: JsonObject },
): ActionRequest & { parameters: JsonObject } {
  const checked = actionRequestSchema.safeParse(request, { error: describeIssue });
  if (!checked.success) {
    const problems = checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw invalidParams(`The call cannot be governed: ${problems.slice(0, 3).join('; ')}.`);
  }
  // The same object: what is decided and kept is what the server gets.
  return { ...checked.data, parameters: request.parameters };
}

/** @throws RpcFault -32602: arguments that are not an object, or larger than an envelope may be. */
export function argumentsOf(params: JsonObject): JsonObject {
  const args = params.arguments ?? {};
  if (!isObject(args)) throw invalidParams('arguments must be an object.');
  const bytes = Buffer.byteLength(JSON.stringify(args));
  if (bytes > sizes.envelopeBytes) {
    throw invalidParams(`The arguments have ${bytes} bytes; a call takes at most ${sizes.envelopeBytes}.`);
  }
  return args;
}

/** What the configuration says of a tool. */
export const overrideOf = ({ overrides }: McpUpstreamEntry, own: string) =>
  overrides.find(({ tool }) => globMatches(tool, own));
