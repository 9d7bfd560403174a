/** Wraps executors: removes credentials from results and errors, and names tool and upstream in error messages. */
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import type { IssuedCredential } from '#core/execution/credentials/ports.ts';
import { withoutSecrets } from '#core/execution/credentials/redact-values.ts';
import { decodeUriOrUnchanged } from '#core/kernel/decode-uri.ts';
import { maskSecrets } from '#core/text/secrets/masked.ts';
import { ExecutionFault, hints, UpstreamError, unknownHint } from './fault.ts';
import type { ExecuteOptions, Executor } from './ports.ts';

interface Work {
  readonly name: string;
  /** Returns the upstream of a call, or undefined if this executor does not handle the call. Never throws. */
  upstreamOf(envelope: ActionEnvelope): string | undefined;
  /** Runs the call. @throws ExecutionFault */
  run(envelope: ActionEnvelope, credential: IssuedCredential | undefined, options: ExecuteOptions): Promise<unknown>;
}

export function namedExecutor({ name, upstreamOf, run }: Work): Executor {
  return {
    name,
    handles: (envelope) => upstreamOf(envelope) !== undefined,
    async execute(envelope, credential, options = {}) {
      const upstream = upstreamOf(envelope) ?? name;
      const secrets = credential ? secretTexts(credential.secret) : [];
      try {
        if (options.signal?.aborted) throw new ExecutionFault('cancelled', 'it was cancelled before anything was sent');
        return withoutSecrets(await run(envelope, credential, options), secrets);
      } catch (thrown) {
        throw errorOf(thrown, envelope.tool, upstream, secrets);
      }
    },
  };
}

/**
 * Returns a fault for an unexpected error. The error's text is dropped, since it may contain secrets. The action may
 * have begun.
 */
const unexpectedFault = (cause: unknown) =>
  new ExecutionFault('malformed', 'it failed unexpectedly', { effect: 'unknown', cause });

function errorOf(thrown: unknown, tool: string, upstream: string, secrets: readonly string[]): UpstreamError {
  const fault = thrown instanceof ExecutionFault ? thrown : unexpectedFault(thrown);
  const { kind, status, effect } = fault;
  const hint = effect === 'unknown' ? unknownHint : (fault.hint ?? hints[kind]);
  const said = withoutSecrets(fault.message, secrets) as string;
  const message = maskSecrets(`${tool} at ${upstream}: ${said}. ${hint}`);
  return new UpstreamError(message, { tool, upstream, kind, effect, status, hint });
}

/** Formats text from a service for an error message, as one line of bounded length. */
export function quoteText(text: string, longest = 300): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line.replace(/\.+$/, '');
}

/**
 * Members of a stored login that are not secret. Removing their values would damage results in which they occur by
 * chance.
 */
const open = new Set([
  'username',
  'user',
  'host',
  'hostname',
  'port',
  'database',
  'dbname',
  'engine',
  'access_key_id',
  'expires_at',
]);

/**
 * Returns a credential's secret strings: the whole value, each secret member of its JSON, and the password in its URL.
 */
function secretTexts(secret: string): readonly string[] {
  const found = new Set([secret]);
  for (const text of membersOf(secret)) found.add(text);
  const { password } = URL.parse(secret) ?? { password: '' };
  for (const text of [password, decodeUriOrUnchanged(password)]) found.add(text);
  return [...found].filter((text) => text !== '');
}

function membersOf(secret: string): readonly string[] {
  if (!secret.startsWith('{')) return [];
  try {
    const members = Object.entries(JSON.parse(secret) as Record<string, unknown>);
    return members.flatMap(([name, value]) => (typeof value === 'string' && !open.has(name) ? [value] : []));
  } catch {
    return [];
  }
}
