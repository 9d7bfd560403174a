/** Describes calls to services: HTTP, Git hosts, and tools that are known only by name. */
import { sharing } from '#core/catalog/tool-names.ts';
import type { EffectRisk } from '#core/contracts/approval.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { wordSet } from '#core/kernel/word-set.ts';
import { toolWords } from '#core/policy/classification/tool-words.ts';

/** A sentence in parts, so that phrases that differ only in their objects can be joined. */
export interface Phrase {
  /** Verb with a capital letter: `Deletes`. */
  readonly verb: string;
  readonly objects: readonly string[];
  /** Text after the objects: ` on branch main of acme/web`. */
  readonly tail?: string;
  readonly risk: EffectRisk;
}

const risks: ReadonlyMap<string, EffectRisk> = new Map(
  Object.entries({ read: 'reads', write: 'writes', delete: 'deletes' } as const),
);
const sharingWords = wordSet(sharing.words);

/** Returns the risk of a call, based on its capability and, for tools that share data with others, on its name. */
export function riskOf({ tool, capability }: Pick<ToolCall, 'tool' | 'capability'>): EffectRisk {
  const risk = risks.get(capability) ?? 'unknown';
  return risk !== 'reads' && risk !== 'deletes' && toolWords(tool).words.some((word) => sharingWords.has(word))
    ? 'sends'
    : risk;
}

export const verbs: ReadonlyMap<string, string> = new Map(
  Object.entries({ read: 'Reads', write: 'Writes', delete: 'Deletes', execute: 'Runs' }),
);

const addressee = /^(?:to|recipients?|channel(?:_id)?|email|address)$/i;

/** Describes a tool by its name, if nothing else is known about its effect. */
export function callPhrase(call: ToolCall): Phrase {
  const { tool, target, upstream, parameters } = call;
  const risk = riskOf(call);
  const to = Object.entries(parameters).flatMap(([name, value]) =>
    risk === 'sends' && addressee.test(name) ? [value].flat().filter((each) => typeof each === 'string') : [],
  );
  const at = upstream === undefined ? '' : ` at ${upstream}`;
  if (to.length > 0) return { verb: `Calls ${tool}${at} and sends to`, objects: to, risk };
  return target === ''
    ? { verb: `Calls ${tool}${at}`, objects: [], risk }
    : { verb: `Calls ${tool}${at} on`, objects: [target], risk };
}

export function httpPhrase({ tool, target, capability }: ToolCall): Phrase {
  const method = tool.replace(/^.*\./, '').toUpperCase();
  if (capability === 'read') return { verb: 'Reads', objects: [target], risk: 'reads' };
  if (capability === 'delete')
    return { verb: 'Deletes', objects: [target], tail: ` (HTTP ${method})`, risk: 'deletes' };
  return { verb: 'Sends data to', objects: [target], tail: ` (HTTP ${method})`, risk: 'sends' };
}

export function hostPhrase({ tool, target, capability, parameters }: ToolCall): Phrase {
  const { path, force, merges, title, head, base } = parameters;
  const repository = target || 'a repository that is not named';
  const risk = risks.get(capability) ?? 'unknown';
  const where = branchWords(parameters);
  if (merges !== undefined) {
    const number = parameters.number ?? parameters.pull_number ?? parameters.pullNumber ?? parameters.iid;
    const which = typeof number === 'number' || typeof number === 'string' ? ` ${number}` : '';
    const what = merges === 'pull_request' ? `pull request${which}` : `a branch${where}`;
    return { verb: `Merges ${what} of`, objects: [repository], risk };
  }
  if (force === true) return { verb: `Force-pushes${where} of`, objects: [repository], tail: ` (${tool})`, risk };
  if (typeof path === 'string')
    return { verb: verbs.get(capability) ?? 'Changes', objects: [path], tail: `${where} of ${repository}`, risk };
  const { words } = toolWords(tool);
  if (words.includes('create') && (words.includes('pull') || words.includes('merge')) && typeof title === 'string') {
    const branches = typeof head === 'string' && typeof base === 'string' ? ` from ${head} into ${base}` : '';
    return { verb: 'Opens pull request', objects: [`"${title}"`], tail: `${branches} in ${repository}`, risk };
  }
  const at = where === '' ? ' on' : `${where} of`;
  return { verb: `Calls ${tool}${at}`, objects: [repository], risk };
}

function branchWords({ branch, branch_pattern: pattern }: ToolCall['parameters']): string {
  if (typeof branch === 'string') return ` on branch ${branch}`;
  return typeof pattern === 'string' ? ` on branches ${pattern.replace(/^refs\/heads\//, '')}` : '';
}
