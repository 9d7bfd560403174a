/**
 * Configured response transforms: literal replacements, and a prefix and suffix around the model's text. They work on
 * running text, so streams and complete replies are rewritten in the same way.
 */
import type { Configuration, Tenant } from '#core/contracts/config.ts';

export interface Rewriter {
  /** Returns the text to send, holding back text that may be the beginning of a match. */
  push(text: string): string;
  /** Returns the remaining text and the suffix. */
  end(): string;
}

/** Returns a factory of rewriters, or undefined if there is nothing to rewrite. */
export function rewriting(configuration: Configuration, tenant: Tenant): (() => Rewriter) | undefined {
  const settings = [configuration.transform, tenant.transform].flatMap((each) => each?.response ?? []);
  const replacements = settings
    .flatMap(({ replacements = {} }) => Object.entries(replacements))
    .filter(([from]) => from);
  const prefix = settings.map(({ content_prefix = '' }) => content_prefix).join('');
  const suffix = settings
    .map(({ content_suffix = '' }) => content_suffix)
    .toReversed()
    .join('');
  if (replacements.length === 0 && prefix === '' && suffix === '') return undefined;
  return () => rewriter(replacements, prefix, suffix);
}

function rewriter(replacements: readonly (readonly [string, string])[], prefix: string, suffix: string): Rewriter {
  const replace = replacer(new Map(replacements));
  let held = '';
  let begun = false;
  const first = (text: string): string => {
    if (begun || text === '') return text;
    begun = true;
    return prefix + text;
  };
  return {
    push(text) {
      const { done, rest } = replace(held + text, false);
      held = rest;
      return first(done);
    },
    end() {
      const { done } = replace(held, true);
      held = '';
      const text = first(done);
      return begun ? text + suffix : text;
    },
  };
}

/** Returns a replacer that takes the leftmost, longest match and holds back a tail that may become one. */
function replacer(replacements: ReadonlyMap<string, string>) {
  if (replacements.size === 0) return (text: string) => ({ done: text, rest: '' });
  const longestFirst = [...replacements.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map((from) => RegExp.escape(from)).join('|'), 'g');
  return (text: string, last: boolean) => {
    const keep = last ? text.length : startOfOpenMatch(text, longestFirst);
    let done = '';
    let at = 0;
    for (const { 0: found, index } of text.matchAll(pattern)) {
      if (index >= keep) break;
      done += text.slice(at, index) + (replacements.get(found) ?? found);
      at = index + found.length;
    }
    const to = Math.max(at, keep);
    return { done: done + text.slice(at, to), rest: text.slice(to) };
  };
}

/** Returns the start of the first tail that may grow into a longer literal match. */
function startOfOpenMatch(text: string, literals: readonly string[]): number {
  const longest = literals[0]!.length;
  for (let from = Math.max(0, text.length - longest + 1); from < text.length; from++) {
    const tail = text.slice(from);
    if (literals.some((literal) => literal.length > tail.length && literal.startsWith(tail))) return from;
  }
  return text.length;
}
