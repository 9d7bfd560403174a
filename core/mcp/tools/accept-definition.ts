/** Accepts a changed tool definition on behalf of a human. */
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { notFound, things } from '#core/kernel/not-found.ts';
import type { McpStore, ToolMark, ToolMarks } from '../ports.ts';

type Recording = (accepted: ToolMark) => Promise<unknown>;

/**
 * Accepts a tool's latest definition.
 * @param looked fingerprint of the definition that the human reviewed; undefined for the latest.
 * @param how.record records the acceptance in evidence before it takes effect; `recorded` is the reference to the
 * entry.
 * @throws GatewayError `not_found`, `conflict` (nothing changed, or the definition changed once more).
 */
export async function acceptDefinition(
  store: McpStore,
  upstream: string,
  tool: string,
  looked: string | undefined,
  { recorded, record }: { readonly recorded: NonNullable<ToolMark['recorded']>; readonly record: Recording },
): Promise<ToolMark> {
  const marks = await store.marks(upstream);
  const mark = Object.hasOwn(marks.tools, tool) ? marks.tools[tool] : undefined;
  if (!mark) throw notFound(things.mcpTool, `${tool} of ${upstream}`);
  if (!mark.changed)
    throw new GatewayError('conflict', `The definition of ${tool} has not changed, so there is nothing to accept.`);
  const { changed: seen, about } = mark;
  if (looked !== undefined && looked !== seen.fingerprint)
    throw new GatewayError(
      'conflict',
      `The pending definition of ${tool} is ${seen.fingerprint}, not ${looked}: it changed again. Review it before you accept it.`,
    );
  const kept = seen.kept ?? (seen.fingerprint === mark.fingerprint ? mark.kept : undefined);
  // The surface is computed the next time the definition is listed.
  const accepted = {
    fingerprint: seen.fingerprint,
    seen_at: seen.seen_at,
    recorded,
    about,
    ...(seen.shadows && { shadows: seen.shadows }),
    ...(kept !== undefined && { kept }),
  };
  await record(accepted);
  const written = await store.putMarks({ ...marks, tools: { ...marks.tools, [tool]: accepted } });
  if (!written)
    throw new GatewayError(
      'conflict',
      `The definitions of ${upstream} changed at the same moment, and nothing was accepted. Read them again, then accept.`,
    );
  return accepted;
}

/**
 * Returns the server of a tool offered by only one server.
 * @throws GatewayError `not_found`, `invalid_request` (several servers have it).
 */
export function upstreamOf(all: readonly ToolMarks[], tool: string): string {
  const having = all.filter(({ tools }) => Object.hasOwn(tools, tool)).map(({ upstream }) => upstream);
  if (having.length === 0) throw notFound(things.mcpTool, tool);
  if (having.length > 1) throw invalidRequest(`${having.join(', ')} have a tool ${tool}; say which with ?upstream=.`);
  return having[0]!;
}
