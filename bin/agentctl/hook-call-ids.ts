/**
 * Ids of tool calls, equal before and after the call [cli.hook-outcome]. Most agents send one. For agents without ids
 * (Gemini CLI) one is generated before the call and stored in a file until the event after it, under a digest of
 * session, tool and input.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { canonicalize } from '#core/kernel/canonical.ts';
import type { CodingAgent } from './coding-agents.ts';
import { type Fields, text } from './json-fields.ts';

/** Returns the agent's own id; undefined if it sends none that an entry can hold. */
function ownId({ tool_use_id }: Fields): string | undefined {
  const id = text(tool_use_id);
  return id !== undefined && /^(?!\.+$)[A-Za-z0-9._:-]{1,128}$/.test(id) ? id : undefined;
}

/** Returns the call id before the tool call. Undefined if no outcome can be recorded; the call is still decided. */
export function idBefore(agent: CodingAgent, event: Fields): string | undefined {
  if (agent.after.length === 0) return undefined;
  if (agent.givesIds) return ownId(event);
  const id = randomUUID();
  try {
    mkdirSync(folder(), { recursive: true, mode: 0o700 });
    writeFileSync(fileOf(agent, event), id, { mode: 0o600 });
    return id;
  } catch {
    return undefined;
  }
}

/** Returns the call id after the call; a stored id is used once. */
export function idAfter(agent: CodingAgent, event: Fields): string | undefined {
  if (agent.givesIds) return ownId(event);
  const file = fileOf(agent, event);
  try {
    const id = readFileSync(file, 'utf8');
    unlinkSync(file);
    return ownId({ tool_use_id: id });
  } catch {
    return undefined;
  }
}

const folder = (): string => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'agentctl', 'calls');

function fileOf({ name, session }: CodingAgent, event: Fields): string {
  const call = { agent: name, session: event[session] ?? null, tool: event.tool_name, input: event.tool_input };
  return join(folder(), createHash('sha256').update(canonicalize(call)).digest('hex'));
}
