/**
 * Builds the client's error for a failed server. The error names the tool, the server and the next step, but never
 * contains secrets.
 */

import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { UpstreamFault, type UpstreamFaultKind } from '../ports.ts';
import { mcpCodes, type RpcError } from '../protocol/messages.ts';
import { redactResult } from '../tools/redact-result.ts';

const hints: Readonly<Record<UpstreamFaultKind, string>> = {
  unreachable: "Try again shortly. If the error persists, ask an operator to check the server's address and health.",
  broken: 'It is not known whether the call took effect: check before calling again.',
  timeout:
    'It is not known whether the call took effect: check before calling again, or ask an operator to raise timeout_ms.',
  'session-lost': 'Try again: a new session is opened.',
  garbage: 'The server does not follow the MCP specification. Ask an operator to check its version.',
  'too-large': 'Request less data, such as one page, or ask an operator to raise the named limit.',
  refused: "The gateway's operator can check its credential for this server.",
  aborted: 'The call was cancelled; it is not known whether it took effect.',
};

/** Hints for cases in which no tool was called and a retry is safe. */
const harmlessHints: Readonly<Partial<Record<UpstreamFaultKind, string>>> = {
  broken: 'Nothing was changed: try again.',
  timeout: 'Nothing was changed: try again, or ask an operator to raise timeout_ms.',
  aborted: 'The request was cancelled.',
};

/** Codes that a client can act on. All others become -32000. */
const passedCodes: ReadonlySet<number> = new Set([
  mcpCodes.invalidParams,
  mcpCodes.urlElicitationRequired,
  mcpCodes.missingCapability,
]);

/**
 * Converts a server's failure to the client's error.
 * @param failure a connection fault, or the server's error.
 * @param called true if a tool was called: the call may have taken effect although it failed.
 */
export function upstreamError(what: string, { name }: McpUpstreamEntry, failure: unknown, called = false): RpcError {
  if (isAnswer(failure)) {
    const data: JsonObject = {
      ...(isObject(failure.data) && failure.data),
      tool: what,
      upstream: name,
      upstream_code: failure.code,
      hint: passedCodes.has(failure.code)
        ? 'Read the message of the server and change the call.'
        : 'The server refused or failed; its message says why.',
    };
    const code = passedCodes.has(failure.code) ? failure.code : mcpCodes.upstreamFailed;
    return { code, message: `${what} failed at ${name}: ${failure.message}`, data };
  }
  const fault = failure instanceof UpstreamFault ? failure : undefined;
  const kind = fault?.kind ?? (isAbort(failure) ? 'aborted' : 'unreachable');
  const why = fault ? redactResult(fault.message) : kind === 'aborted' ? 'cancelled' : 'the call could not be made';
  const hint = (called ? undefined : harmlessHints[kind]) ?? hints[kind];
  return {
    code: mcpCodes.upstreamFailed,
    message: `${what} failed at ${name}: ${why}. ${hint}`,
    data: { tool: what, upstream: name, reason: kind, hint },
  };
}

const isAnswer = (failure: unknown): failure is RpcError =>
  isObject(failure) && !(failure instanceof Error) && typeof failure.code === 'number';

const isAbort = (failure: unknown): boolean => isErrorNamed(failure, 'AbortError');
