/**
 * Finds a call's signals. Its effects, or the call itself if it has none, are checked for secrets, egress, privileges,
 * deletions and places. Names are compared as whole words: `special` does not match `ci`, and `monkey.txt` does not
 * match `key`.
 */
import { isLoopbackHost, networkOfHost } from '#core/catalog/networks.ts';
import type { BehaviorSettings, Signal, SignalKind } from '#core/contracts/behavior.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { Decision, ToolCall } from '#core/contracts/envelope.ts';
import { branchesWritten } from '#core/effects/branch-writes.ts';
import type { BranchWrite } from '#core/effects/git/branches.ts';
import type { Effects } from '#core/effects/ports.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { forEachText } from '#core/policy/rules/normalise.ts';
import { canonicalText, plainReading } from '#core/text/matching/canonical-text.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { compileGlob } from '#core/text/matching/glob.ts';
import { maskSecrets } from '#core/text/secrets/masked.ts';
import { secretPathTest } from '#core/text/secrets/secret-paths.ts';
import { type Call, type SignalContext, type SignalMatch, wordOf } from './signals/call.ts';
import { deletion } from './signals/deletions.ts';
import { egressOf } from './signals/egress.ts';
import { findPlace } from './signals/places.ts';
import { privilege } from './signals/rights.ts';
import { personalData, secret } from './signals/sensitive.ts';

/**
 * Returns the context for a configuration.
 * @param trustedHosts hosts of configured upstreams.
 * @param catalog additions that the configuration makes to the catalog.
 */
export function signalContext(
  { known_hosts, sensitive }: Pick<BehaviorSettings, 'known_hosts' | 'sensitive'>,
  trustedHosts: readonly string[] = [],
  catalog?: Pick<Configuration['catalog'], 'secret_files' | 'networks'>,
): SignalContext {
  const hosts = [...known_hosts, ...trustedHosts].map((pattern) => compileGlob(pattern, 'name'));
  const targets = sensitive.map((pattern) => compileGlob(pattern, 'text'));
  return {
    isKnownHost: (host) => isLoopbackHost(host) || hosts.some((glob) => glob.matches(foldCase(host))),
    isSensitive: (target) => targets.some((glob) => glob.matches(plainText(target))),
    isSecretPath: secretPathTest(catalog?.secret_files),
    networkOfHost: (host) => networkOfHost(host, catalog?.networks),
  };
}

/**
 * Limits per call. Each pair of kind and object counts once, and signals of one kind never displace those of another.
 */
const limits = { each: 8, characters: 80 } as const;

/** Returns a call's signals, including `refused` if the decision blocks it. */
export function signalsOf(call: ToolCall, effects: Effects, decision: Decision, context: SignalContext): Signal[] {
  const source = sourceOf(call);
  const { carrier, parts } = effects;
  const calls = [
    ...(carrier && parts.length > 0 ? [] : [callFacts(call, source, parts.length > 0 ? [] : branchesWritten(call))]),
    ...parts.map((part) => callFacts(part, source, branchesWritten(part))),
  ];
  const found = new Map<string, Signal>();
  const counts = new Map<SignalKind, number>();
  const add = (hit: SignalMatch | undefined): void => {
    if (!hit) return;
    const signal = signalOf(hit);
    const id = `${signal.s} ${signal.h}`;
    const known = found.get(id);
    const count = counts.get(hit.kind) ?? 0;
    if (!known && count >= limits.each) return;
    if (!known) counts.set(hit.kind, count + 1);
    if (!known || (signal.n ?? 1) > (known.n ?? 1)) found.set(id, signal);
  };
  for (const each of calls) {
    add(secret(each, context));
    add(personalData(each));
    add(egressOf(each, context.isKnownHost));
    add(privilege(each));
    add(deletion(each));
    add(findPlace(each));
  }
  if (decision === 'block') add({ kind: 'refused', object: attempt(calls) });
  return [...found.values()];
}

/** Returns a single signal, for events outside a call: a refused login, a misused ticket, a refused chat. */
export function signalOf({ kind, object, weight }: SignalMatch): Signal {
  const h = sha256(object).slice(0, 6);
  return { s: kind, x: shortObject(object), h, ...(weight !== undefined && weight !== 1 && { n: weight }) };
}

const gravity = ['read', 'write', 'execute', 'delete'];

/**
 * Returns the class of an attempt, made up of its protocol and most severe capability. A different command with the
 * same effect has the same class.
 */
function attempt(calls: readonly Call[]): string {
  const gravest = [...calls].sort((a, b) => gravity.indexOf(b.capability) - gravity.indexOf(a.capability))[0]!;
  return `${gravest.protocol}:${gravest.capability}`;
}

function callFacts(call: ToolCall, source: string, branches: readonly BranchWrite[]): Call {
  const protocol = foldCase(call.protocol).trim();
  const tool = foldCase(call.tool).trim();
  const { argv } = call.parameters;
  return {
    protocol,
    tool,
    word: wordOf(tool),
    target: plainText(call.target),
    capability: foldCase(call.capability).trim(),
    parameters: call.parameters,
    argv: Array.isArray(argv) ? argv.filter((word) => typeof word === 'string') : [],
    source,
    branches,
  };
}

/** Returns the target and text parameters, which may contain commands. */
function sourceOf({ target, parameters, sent_with = {} }: ToolCall): string {
  const texts = Object.values(parameters).flatMap((value) =>
    typeof value === 'string'
      ? [value]
      : Array.isArray(value)
        ? [value.filter((one) => typeof one === 'string').join(' ')]
        : [],
  );
  const sent: string[] = [];
  forEachText(sent_with, (text) => sent.push(text));
  return [target, ...texts, ...sent].join('\n');
}

/** Normalises text. Text with excessive escapes is returned unchanged, and the policy blocks it. */
function plainText(text: string): string {
  try {
    return canonicalText(text, plainReading);
  } catch {
    return text;
  }
}

/** Shortens text and masks anything that looks like a secret. */
function shortObject(object: string): string {
  const text = maskSecrets(object, '…');
  return text.length > limits.characters ? `${text.slice(0, limits.characters - 1)}…` : text;
}
