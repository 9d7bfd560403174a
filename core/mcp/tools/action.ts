/** Converts a tool call to the action that the policy evaluates: protocol, name, target, capability. */
import type { OwnNetworks } from '#core/contracts/config/catalog.ts';
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import { type ActionRequest, type Capability, type Placement, sizes } from '#core/contracts/envelope.ts';
import { type EnvelopeSchemas, envelopeSchemas } from '#core/contracts/lazy-envelope-schema.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { capabilityOfCall } from '#core/policy/classification/agreed-capability.ts';
import { capabilityFromName } from '#core/policy/classification/classify-tool.ts';
import { targetFromArguments } from '#core/policy/classification/target.ts';
import { globMatches } from '#core/text/matching/glob.ts';
import { invalidParams } from '../protocol/messages.ts';
import type { ListedTool } from './tool-list.ts';

/** A server's tool, with its names and its definition. */
export interface NamedTool {
  readonly entry: McpUpstreamEntry;
  /** Definition from the server. */
  readonly definition: JsonObject;
  /** Name used by the server. */
  readonly own: string;
  /** Name shown to clients. */
  readonly exposed: string;
}

/** A listed tool. */
export interface Tool extends NamedTool {
  /** The list entry, with findings added later. */
  readonly listed: ListedTool;
}

/** The facts known about a tool before a call. */
export interface ToolWords {
  readonly protocol: string;
  readonly tool: string;
  readonly capability: Capability;
  readonly upstream: string;
}

/**
 * Returns a tool's policy facts.
 * @param name the tool's name for policies; its own name unless the configuration overrides it.
 */
export function toolPolicyFacts({ entry, own, definition }: NamedTool, name: string = own): ToolWords {
  const override = overrideOf(entry, own);
  return {
    protocol: override?.protocol ?? 'mcp',
    tool: override?.name ?? name,
    capability: override?.capability ?? capabilityFromName(own, definition.annotations),
    upstream: entry.name,
  };
}

const changes = lazyImport(() => import('#core/guard/changes.ts'));

/** Returns the placement of a call to the tool, which policies know as `name`. */
export async function placementIn(
  { entry, own, definition }: NamedTool,
  name: string,
  args: Readonly<Record<string, unknown>> | undefined,
): Promise<Placement> {
  const { meaningDigest } = await changes();
  const placement = { upstream: entry.name, definition: meaningDigest(definition, args ?? {}) };
  return name === own ? placement : { ...placement, upstream_tool: own };
}

/**
 * Builds the action for a call.
 * @param networks the networks from the configuration.
 * @throws RpcFault -32602 for arguments that do not fit in an envelope, and for ambiguous argument names.
 */
export async function actionOf(
  tool: NamedTool,
  name: string,
  args: JsonObject,
  networks?: OwnNetworks,
): Promise<ActionRequest & { parameters: JsonObject }> {
  assertOwnNames(tool.definition.inputSchema, args);
  const target = targetFromArguments(args, overrideOf(tool.entry, tool.own)?.target);
  const words = toolPolicyFacts(tool, name);
  const capability = await capabilityOfCall(words.capability, { ...words, tool: tool.own, parameters: args }, networks);
  return governable({ ...words, capability, target, parameters: args });
}

/**
 * Builds the action for a call whose tool is not listed by any server. Returns undefined if the call does not fit in an
 * envelope.
 */
export async function actionOfUnlisted(
  name: string,
  args: JsonObject,
  upstream: string | undefined,
): Promise<ActionRequest | undefined> {
  const { actionRequestSchema } = await envelopeSchemas();
  const words = { protocol: 'mcp', tool: name, capability: capabilityFromName(name) };
  const call = { ...words, target: targetFromArguments(args), parameters: args };
  return actionRequestSchema.safeParse({ ...call, ...(upstream !== undefined && { upstream }) }).data;
}

type GovernedWords = ToolWords & { readonly target: string; readonly parameters: JsonObject };

/** Validates a request for the envelope. @throws RpcFault -32602 for a request that does not fit. */
const governable = async (request: GovernedWords): Promise<ActionRequest & { parameters: JsonObject }> =>
  fitting(await envelopeSchemas(), request);

/** Validates a request in the same way as `governable`, with the loaded schemas. */
export function fitting(
  { actionRequestSchema, misfitOf }: EnvelopeSchemas,
  request: GovernedWords,
): ActionRequest & { parameters: JsonObject } {
  const checked = actionRequestSchema.safeParse(request);
  if (!checked.success) throw invalidParams(`The call cannot be governed: ${misfitOf(request)}`);
  // Keeps the same object, so that the server gets exactly the parameters that were evaluated and stored.
  return { ...checked.data, parameters: request.parameters };
}

/** Returns the arguments. @throws RpcFault -32602 if they are not an object, or larger than an envelope may be. */
export function argumentsOf(params: JsonObject): JsonObject {
  const args = params.arguments ?? {};
  if (!isObject(args)) throw invalidParams('arguments must be an object.');
  const bytes = Buffer.byteLength(JSON.stringify(args));
  if (bytes > sizes.envelopeBytes)
    throw invalidParams(`The arguments have ${bytes} bytes; a call takes at most ${sizes.envelopeBytes}.`);
  return args;
}

/** Returns a tool's configured override. */
export const overrideOf = ({ overrides }: McpUpstreamEntry, own: string) =>
  overrides.find(({ tool }) => globMatches(tool, own));

/** Folds a name in the same way as servers that ignore case: `ſ` equals `s`, the Kelvin sign equals `k`. */
const foldArgumentName = (name: string): string => name.toUpperCase().toLowerCase();

const deepest = 16;

/**
 * Rejects argument names that differ only in case from the tool's schema or from each other: servers that ignore case
 * (Go, .NET) confuse them, so rules, reviewers and evidence would have seen a different name
 * [mcp.forwarded-is-decided]. Nested objects without named properties are maps, whose names are data; the arguments
 * themselves are always checked.
 * @throws RpcFault -32602 with both names.
 */
function assertOwnNames(schema: unknown, args: JsonObject, path: readonly string[] = []): void {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const known = new Map(Object.keys(properties).map((name) => [foldArgumentName(name), name]));
  for (const [name, value] of Object.entries(args)) {
    const own = Object.hasOwn(properties, name);
    const other = own ? name : known.get(foldArgumentName(name));
    if (other !== undefined && other !== name) throw caseRefusal([...path, name], [...path, other]);
    known.set(foldArgumentName(name), name);
    if (path.length >= deepest) continue;
    const below = own ? properties[name] : undefined;
    for (const [inner, at] of recordsIn(below, value)) assertOwnNames(at, inner, [...path, name]);
  }
}

/** Returns the objects within a value, including those in lists, for which the schema names properties. */
function recordsIn(schema: unknown, value: unknown): [JsonObject, unknown][] {
  if (!isObject(schema)) return [];
  if (Array.isArray(value)) return value.flatMap((item) => recordsIn(schema.items, item));
  return isObject(value) && isObject(schema.properties) ? [[value, schema]] : [];
}

const caseRefusal = (found: readonly string[], other: readonly string[]) =>
  invalidParams(
    `arguments.${pathText(found)} differs from ${pathText(other)} only in case, and servers may confuse the two. Send it as ${pathText(other)}, once.`,
  );

const pathText = (path: readonly string[]): string => path.join('.').slice(0, 200);
