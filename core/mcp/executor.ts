/** Runs an allowed call at its server (spec §1 stage 4) and keeps of the result what evidence can hold (contract §3). */
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { Executor, IssuedCredential } from '#core/credentials/ports.ts';
import { secretsOf } from '#core/credentials/redact-values.ts';
import { type Json, type JsonObject, parseStrictBytes } from '#core/kernel/json.ts';
import type { ObjectStore } from '#core/kernel/ports.ts';
import { globMatches } from '#core/tool-policy/glob.ts';
import { ask, type Conversation, type Conversations } from './conversations.ts';
import { upstreamError } from './faults.ts';
import { withEnvelope } from './inventory.ts';
import { isObject, type RequestId, type RpcOutcome } from './messages.ts';
import { type McpPorts, UpstreamFault } from './ports.ts';
import { redactResult } from './redact-result.ts';

/** One call on its way to a server, and what it came to: the client gets more of it than evidence does. */
export interface Run {
  readonly conversation: Conversation;
  readonly entry: McpUpstreamEntry;
  /** Parameters of the server's `tools/call`. */
  readonly params: JsonObject;
  readonly id: RequestId;
  readonly signal: AbortSignal;
  readonly onMessage: (message: JsonObject) => void;
  readonly onEvents?: () => void;
  readonly passed?: Readonly<Record<string, string>>;
  /** Set once there is an answer, secrets redacted. */
  outcome?: RpcOutcome;
}

/** Larger results go to the object store; an entry and an approval have room for this much. */
const evidenceBytes = 64 * 1024;

/** The executor of this one call. */
export const runExecutor = (objects: ObjectStore, run: Run): Executor => ({
  name: `MCP server ${run.entry.name}`,
  handles: () => true,
  execute: (_envelope, credential) => execute(objects, run, credential),
});

/** Failures after which the call may have taken effect all the same. */
const uncertain: ReadonlySet<string> = new Set(['timeout', 'aborted', 'broken', 'garbage', 'too-large']);

async function execute(objects: ObjectStore, run: Run, credential: IssuedCredential | undefined): Promise<unknown> {
  const { conversation, entry, params, onMessage, ...asking } = run;
  const secrets = credential ? secretsOf(credential) : [];
  let outcome: RpcOutcome;
  let sent = false;
  try {
    run.signal.throwIfAborted();
    await conversation.link(entry);
    sent = true;
    outcome = await ask(conversation, entry, 'tools/call', params, {
      ...asking,
      onMessage: (message) => onMessage(redactResult(message, secrets)),
      bearer: credential?.secret,
    });
  } catch (fault) {
    const error = upstreamError(String(params.name), entry, fault);
    run.outcome = { error };
    const thrown = new Error(error.message, { cause: fault });
    const doubt = sent && (fault instanceof UpstreamFault ? uncertain.has(fault.kind) : run.signal.aborted);
    if (doubt) thrown.name = 'UnknownOutcome'; // read by carryOut
    throw thrown;
  }
  run.outcome = redactResult(outcome as JsonObject, secrets) as RpcOutcome;
  if ('error' in run.outcome) {
    run.outcome = { error: upstreamError(String(params.name), entry, run.outcome.error) };
    throw new Error(run.outcome.error.message);
  }
  return forEvidence(objects, run.outcome.result);
}

/** The result itself, or where it lies. */
async function forEvidence(objects: ObjectStore, result: JsonObject): Promise<JsonObject> {
  const bytes = Buffer.from(JSON.stringify(result));
  if (bytes.length <= evidenceBytes) return result;
  return { stored_result: { sha256: await objects.put(bytes), bytes: bytes.length } };
}

/** The result that was kept of an execution, in full. */
export async function keptResult(objects: ObjectStore, kept: unknown): Promise<JsonObject> {
  const stored = isObject(kept) && isObject(kept.stored_result) ? kept.stored_result : undefined;
  if (typeof stored?.sha256 !== 'string')
    return isObject(kept) ? kept : { content: [{ type: 'text', text: JSON.stringify(kept ?? null) }] };
  const bytes = await objects.get(stored.sha256);
  const read: Json = bytes ? parseStrictBytes(bytes, 256) : null;
  if (!isObject(read)) throw new Error(`the object store lacks the result ${stored.sha256}`);
  return read;
}

/**
 * Executes calls that no MCP client waits for: test-action, and approvals the state machine carries out.
 * `know` tells it the servers of the configuration in force.
 */
export function mcpExecutor(
  ports: Pick<McpPorts, 'objects' | 'ids'>,
  conversations: Conversations,
): Executor & { know(entries: readonly McpUpstreamEntry[]): void } {
  let entries: readonly McpUpstreamEntry[] = [];
  return {
    name: 'MCP',
    know: (known) => {
      entries = known;
    },
    handles: (envelope) => served(entries, envelope) !== undefined,
    execute: async (envelope, credential, { signal = new AbortController().signal } = {}) => {
      const found = served(entries, envelope);
      if (!found) throw new Error(`no MCP server serves ${envelope.tool}`);
      const conversation = conversations.ofKey(envelope, 'session', '2025-11-25', entries);
      const params = withEnvelope(conversation, { name: found.own, arguments: envelope.parameters as JsonObject });
      const run: Run = { conversation, entry: found.entry, params, id: ports.ids.uuid(), signal, onMessage: () => {} };
      return execute(ports.objects, run, credential);
    },
  };
}

/** The server of a tool by protocol and name as policies know it; of several the first, as the configuration has them. */
export function served(
  entries: readonly McpUpstreamEntry[],
  { protocol, tool }: Pick<ToolCall, 'protocol' | 'tool'>,
): { entry: McpUpstreamEntry; own: string } | undefined {
  for (const entry of entries) {
    const own = ownName(entry, tool);
    const override = entry.overrides.find((each) => globMatches(each.tool, own));
    const named = override?.name === undefined || override.name === tool;
    if (!named || (override?.protocol ?? 'mcp') !== protocol) continue;
    if (entry.tools.some((pattern) => globMatches(pattern, own))) return { entry, own };
  }
  return undefined;
}

function ownName({ prefix, name, overrides }: McpUpstreamEntry, tool: string): string {
  const renamed = overrides.find((each) => each.name === tool && !/[*?[{]/.test(each.tool));
  const parted = `${prefix ?? name}__`;
  return renamed?.tool ?? (tool.startsWith(parted) ? tool.slice(parted.length) : tool);
}
